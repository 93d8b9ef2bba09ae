"""What can go wrong before the scheduler runs, in words for the person who started it."""


class ConfigurationError(Exception):
    """A flag, a kubeconfig or the environment lacks what is needed: the message says where and what to do."""
