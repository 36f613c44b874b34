//! Facts: what a state or a message says, by name, for formulas.

use alloc::{format, string::String, vec, vec::Vec};
use core::fmt;
use serde::{
    Serialize, Serializer,
    ser::{self, Impossible},
};

/// What a part of a state or a message says: a name and values.
///
/// A state in which a field is the variant `Candidate(7)` says `Candidate(7)`; a field `heard` that is
/// `Some((port, id))` says `heard(port, id)`, and `None` says nothing; a field `least` that is an
/// identity says `least(id)`; a field that is `true` says its name; a field `silent` that is a set of ports says
/// `silent` of their number, and `silent(port)` of each; one that is only counted says their number; a queue says
/// nothing. A field that is a struct says what its fields say. The message `Token(7)` says `Token(7)`; a struct with an
/// enum in it says the variant, with the other values of the struct before those of the variant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fact {
    /// The name of the variant, the field or the type.
    pub name: &'static str,
    /// What it holds, in order.
    pub values: Vec<FactValue>,
}

/// A value in a [`Fact`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FactValue {
    /// The number of an identity.
    Id(u64),
    /// A position in the network.
    Place(u64),
    /// The number of a port.
    Port(u32),
    /// So many of the first ports.
    Ports(u64),
    /// The size of a set of ports. A fact of this name follows for each port.
    Set(u64),
    /// The size of a set of ports, where only the size is kept.
    CountedSet(u64),
    /// With what a process counts.
    Count(u64),
    /// Another number.
    Number(u64),
}

impl FactValue {
    /// Returns the number that stands for a process: its identity, or its position.
    #[must_use]
    pub const fn process(self) -> Option<u64> {
        match self {
            Self::Id(of) | Self::Place(of) => Some(of),
            Self::Port(_)
            | Self::Ports(_)
            | Self::Set(_)
            | Self::CountedSet(_)
            | Self::Count(_)
            | Self::Number(_) => None,
        }
    }

    /// Returns whether it is what no argument of a formula stands for, but `_`.
    pub(crate) const fn is_unnamed(self) -> bool {
        matches!(self, Self::Set(_) | Self::Count(_) | Self::Number(_))
    }
}

/// A part of a state or a message of which no fact can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactError(String);

impl Fact {
    /// Returns the facts of a state, in the order of its fields.
    ///
    /// # Errors
    /// If it has a part that is more than variants, options, flags, identities, ports and numbers.
    pub fn of_state(state: &impl Serialize) -> Result<Vec<Self>, FactError> {
        let mut facts = Vec::new();
        state.serialize(FactWriter { facts: &mut facts, part: Part::Whole })?;
        Ok(facts)
    }

    /// Returns the fact of a message.
    ///
    /// # Errors
    /// As for a state; and if it is anything else than a struct or a variant with values in it.
    pub fn of_message(message: &impl Serialize) -> Result<Self, FactError> {
        let mut facts = Vec::new();
        message.serialize(FactWriter { facts: &mut facts, part: Part::Message })?;
        match <[Self; 2]>::try_from(facts) {
            Ok([outer, inner]) => {
                let values = outer.values.into_iter().chain(inner.values).collect();
                Ok(Self { name: inner.name, values })
            }
            Err(mut one) if one.len() == 1 => Ok(one.remove(0)),
            Err(_) => Err(FactError("a message with two enums in it".into())),
        }
    }
}

impl fmt::Display for FactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} says nothing that formulas could name", self.0)
    }
}

impl core::error::Error for FactError {}

impl ser::Error for FactError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(format!("{message}"))
    }
}

/// Which part of a state or message is written.
#[derive(Clone, Copy)]
enum Part {
    Whole,
    Message,
    /// A field of the state.
    Field(&'static str),
    /// Within the fact at this index.
    Within(usize),
    /// The ports in the field of this name, and one of them.
    Ports(&'static str),
    OnePort(&'static str),
}

/// Writes facts.
struct FactWriter<'a> {
    facts: &'a mut Vec<Fact>,
    part: Part,
}

impl FactWriter<'_> {
    /// Begins a fact, whose values follow.
    fn begin(self, name: &'static str) -> Self {
        self.facts.push(Fact { name, values: Vec::new() });
        let part = Part::Within(self.facts.len() - 1);
        Self { part, ..self }
    }

    fn put(self, value: FactValue) -> Result<(), FactError> {
        let (writer, value) = match (self.part, value) {
            (Part::Field(name), _) => (self.begin(name), value),
            // In proofs a set is a number.
            (Part::Ports(name), FactValue::Number(set)) => (self.begin(name), FactValue::Set(set)),
            (Part::OnePort(name), FactValue::Number(port)) => {
                (self.begin(name), FactValue::Port(port as u32))
            }
            _ => (self, value),
        };
        match writer.part {
            Part::Within(at) => {
                writer.facts[at].values.push(value);
                Ok(())
            }
            _ => Err(FactError("a bare number".into())),
        }
    }

    /// The parts of a tuple or a struct: values of the fact that is being written, or of one with the
    /// field's name.
    fn parts(self, name: &'static str) -> Self {
        match self.part {
            Part::Field(field) => self.begin(field),
            Part::Message => self.begin(name),
            Part::Whole | Part::Within(_) | Part::Ports(_) | Part::OnePort(_) => self,
        }
    }
}

/// Refuses types by name.
macro_rules! refused {
    ($($name:ident($type:ty) = $words:literal;)*) => {
        $(fn $name(self, _: $type) -> Result<(), FactError> { Err(FactError($words.into())) })*
    };
}

/// Takes numbers.
macro_rules! numbers {
    ($($name:ident($type:ty);)*) => {
        $(fn $name(self, number: $type) -> Result<(), FactError> { self.put(FactValue::Number(number.into())) })*
    };
}

impl<'a> Serializer for FactWriter<'a> {
    type Ok = ();
    type Error = FactError;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Impossible<(), FactError>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    numbers! { serialize_u8(u8); serialize_u16(u16); serialize_u32(u32); serialize_u64(u64); }

    refused! {
        serialize_i8(i8) = "a signed number"; serialize_i16(i16) = "a signed number";
        serialize_i32(i32) = "a signed number"; serialize_i64(i64) = "a signed number";
        serialize_f32(f32) = "a fraction"; serialize_f64(f64) = "a fraction";
        serialize_char(char) = "a character"; serialize_str(&str) = "a text"; serialize_bytes(&[u8]) = "bytes";
    }

    fn serialize_bool(self, holds: bool) -> Result<(), FactError> {
        match self.part {
            Part::Field(name) => {
                if holds {
                    self.begin(name);
                }
                Ok(())
            }
            _ => self.put(FactValue::Number(holds.into())),
        }
    }

    fn serialize_none(self) -> Result<(), FactError> {
        match self.part {
            Part::Field(_) => Ok(()),
            _ => Err(FactError("an option within a variant".into())),
        }
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), FactError> {
        match self.part {
            Part::Field(name) => value.serialize(self.begin(name)),
            _ => Err(FactError("an option within a variant".into())),
        }
    }

    fn serialize_unit(self) -> Result<(), FactError> {
        Ok(())
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<(), FactError> {
        let _ = self.parts(name);
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), FactError> {
        let _ = self.begin(variant);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), FactError> {
        let number = || -> Result<u64, FactError> {
            let mut inner = Vec::new();
            value.serialize(FactWriter { facts: &mut inner, part: Part::Field(name) })?;
            match inner.first().and_then(|fact| fact.values.first()) {
                Some(&FactValue::Number(number)) => Ok(number),
                _ => Err(FactError(format!("`{name}`"))),
            }
        };
        match name {
            "Id" => self.put(FactValue::Id(number()?)),
            "Port" => self.put(FactValue::Port(number()? as u32)),
            "Place" => self.put(FactValue::Place(number()?)),
            "CountedPorts" => self.put(FactValue::CountedSet(number()?)),
            "WaitedPorts" => self.put(FactValue::CountedSet(number()? >> 32)),
            "FirstPorts" => self.put(FactValue::Ports(number()?)),
            "PortSet" => match self.part {
                Part::Field(field) => value.serialize(Self { part: Part::Ports(field), ..self }),
                _ => Err(FactError("a set of ports within a variant".into())),
            },
            // It says nothing.
            "LazyQueue" => Ok(()),
            "Count" | "Size" => self.put(FactValue::Count(number()?)),
            _ => value.serialize(self.parts(name)),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), FactError> {
        value.serialize(self.begin(variant))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self, FactError> {
        match (self.part, length) {
            (Part::Ports(name), Some(length)) => {
                self.facts.push(Fact { name, values: vec![FactValue::Set(length as u64)] });
                Ok(Self { part: Part::OnePort(name), ..self })
            }
            _ => Err(FactError("a list".into())),
        }
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, FactError> {
        Ok(self.parts(""))
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Self, FactError> {
        Ok(self.parts(name))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, FactError> {
        Ok(self.begin(variant))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, FactError> {
        Err(FactError("a map".into()))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Self, FactError> {
        match self.part {
            Part::Field(_) => Ok(Self { part: Part::Whole, ..self }),
            _ => Ok(self.parts(name)),
        }
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, FactError> {
        Ok(self.begin(variant))
    }
}

/// Writes the parts of tuples and structs.
macro_rules! compound {
    ($($trait:ident $method:ident ($($key:ident)?);)*) => {$(
        impl ser::$trait for FactWriter<'_> {
            type Ok = ();
            type Error = FactError;

            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($key: &'static str,)?
                value: &T,
            ) -> Result<(), FactError> {
                let part = match self.part {
                    $(Part::Whole => Part::Field($key),)?
                    part => part,
                };
                value.serialize(FactWriter { facts: self.facts, part })
            }

            fn end(self) -> Result<(), FactError> {
                Ok(())
            }
        }
    )*};
}

compound! {
    SerializeSeq serialize_element ();
    SerializeTuple serialize_element ();
    SerializeTupleStruct serialize_field ();
    SerializeTupleVariant serialize_field ();
    SerializeStruct serialize_field (key);
    SerializeStructVariant serialize_field (key);
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use suffrage_model::{Id, Port};

    #[derive(Serialize)]
    enum Mood {
        Idle,
        Busy(Id),
    }

    #[derive(Serialize)]
    struct Subject {
        id: Id,
        mood: Mood,
        heard: Option<(Port, Id)>,
        done: bool,
    }

    fn facts(of: &Subject) -> Vec<(&'static str, Vec<FactValue>)> {
        let facts = Fact::of_state(of).expect("all of it can be said");
        facts.into_iter().map(|fact| (fact.name, fact.values)).collect()
    }

    #[test]
    fn a_state_says_its_variants_its_options_and_its_fields() {
        use FactValue::{Id as Identity, Port as At};
        let id = Id::new(3);
        let idle = Subject { id, mood: Mood::Idle, heard: None, done: false };
        assert_eq!(facts(&idle), [("id", alloc::vec![Identity(3)]), ("Idle", Vec::new())]);
        let busy = Subject {
            id,
            mood: Mood::Busy(Id::new(7)),
            heard: Some((Port(1), Id::new(4))),
            done: true,
        };
        let expected = [
            ("id", alloc::vec![Identity(3)]),
            ("Busy", alloc::vec![Identity(7)]),
            ("heard", alloc::vec![At(1), Identity(4)]),
            ("done", Vec::new()),
        ];
        assert_eq!(facts(&busy), expected);
    }

    #[test]
    fn a_field_that_is_a_struct_says_what_its_fields_say() {
        #[derive(Serialize)]
        struct Outer {
            wave: Inner,
        }
        #[derive(Serialize)]
        struct Inner {
            father: Option<Port>,
            silent: crate::ports::WaitedPorts,
            mood: Mood,
        }
        let silent = crate::ports::WaitedPorts::all(3);
        let outer = Outer { wave: Inner { father: Some(Port(2)), silent, mood: Mood::Idle } };
        let facts = Fact::of_state(&outer).expect("facts");
        let facts: Vec<_> = facts.into_iter().map(|fact| (fact.name, fact.values)).collect();
        let expected = [
            ("father", alloc::vec![FactValue::Port(2)]),
            ("silent", alloc::vec![FactValue::CountedSet(3)]),
            ("Idle", Vec::new()),
        ];
        assert_eq!(facts, expected);
    }

    #[test]
    fn a_message_with_an_enum_in_it_says_the_variant_with_the_values_of_both() {
        #[derive(Serialize)]
        struct Tagged {
            of: Id,
            mood: Mood,
        }
        let said = |mood| Fact::of_message(&Tagged { of: Id::new(3), mood });
        let values = alloc::vec![FactValue::Id(3)];
        assert_eq!(said(Mood::Idle), Ok(Fact { name: "Idle", values }));
        let values = alloc::vec![FactValue::Id(3), FactValue::Id(4)];
        assert_eq!(said(Mood::Busy(Id::new(4))), Ok(Fact { name: "Busy", values }));
    }

    #[test]
    fn a_set_of_ports_says_its_members() {
        use FactValue::{Port as At, Set};
        #[derive(Serialize)]
        struct Waits {
            silent: suffrage_model::PortSet,
        }
        let facts = Fact::of_state(&Waits { silent: suffrage_model::PortSet::all(2) });
        let values: Vec<_> = facts.expect("facts").into_iter().map(|fact| fact.values).collect();
        assert_eq!(values, [[Set(2)], [At(0)], [At(1)]]);
    }

    #[test]
    fn a_set_of_ports_that_is_counted_says_how_many_they_are() {
        #[derive(Serialize)]
        struct Waits {
            missing: suffrage_model::CountedPorts,
        }
        let facts = Fact::of_state(&Waits { missing: suffrage_model::CountedPorts::all(2) });
        let values = alloc::vec![FactValue::CountedSet(2)];
        assert_eq!(facts, Ok(alloc::vec![Fact { name: "missing", values }]));
    }

    #[test]
    fn a_message_says_one_thing_and_lists_say_nothing() {
        #[derive(Serialize)]
        struct Token(Id);
        let token = Fact::of_message(&Token(Id::new(5)));
        assert_eq!(token, Ok(Fact { name: "Token", values: alloc::vec![FactValue::Id(5)] }));
        let list = Fact::of_message(&Mood::Busy(Id::new(2))).expect("a variant");
        assert_eq!((list.name, list.values.len()), ("Busy", 1));
        #[derive(Serialize)]
        struct Many {
            all: Vec<Id>,
        }
        let error = Fact::of_state(&Many { all: Vec::new() }).unwrap_err();
        assert_eq!(error.to_string(), "a list says nothing that formulas could name");
    }
}
