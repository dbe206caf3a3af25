//! A router plugin.
