//! Has no type `Election`.

pub struct Elected;
