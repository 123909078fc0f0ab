//! The transcript's view: virtual scroll over blocks, row caches, anchors, folds, browsing.
