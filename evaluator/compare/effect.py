"""How large a difference is, apart from how sure it is."""

import numpy as np

from evaluator.compare.jobs import Floats


def rank_biserial(differences: Floats) -> float | None:
    """Matched-pairs rank-biserial correlation of paired differences, from −1 to 1.

    The ranks of positive differences less those of negative ones, as a share of all ranks: 1 where every
    pair that differs does so upwards. Pairs without a difference do not count, nor do NaN; none if no pair
    differs.

    Source: Kerby, The Simple Difference Formula (Comprehensive Psychology, 2014), on Wilcoxon's signed ranks.
    """
    from scipy.stats import rankdata  # slow to import

    differing = differences[~np.isnan(differences) & (differences != 0)]
    if not differing.size:
        return None
    ranks = rankdata(np.abs(differing))
    return float((ranks[differing > 0].sum() - ranks[differing < 0].sum()) / ranks.sum())
