"""Never rests once it has seen a pod."""

from small_client import watched_pods

for _ in watched_pods():
    while True:
        pass
