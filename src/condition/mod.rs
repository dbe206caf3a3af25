//! Condition rules: `when => then`.
