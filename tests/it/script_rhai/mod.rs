//! Rules in Rhai: what they see, what they answer, what stops them.

mod hostile;
mod isolation;
mod members;
mod rules;
mod stage;
