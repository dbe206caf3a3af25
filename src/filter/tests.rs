//! What the built-in filters do around calls.
