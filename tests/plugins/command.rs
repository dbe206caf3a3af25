//! What the documents tell a plugin's developer and an operator to type, typed.
