"""Programs that developers and CI run; nothing of the product imports them."""
