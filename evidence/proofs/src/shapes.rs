//! All values of a type, up to the identities in them: a deserializer that reads from nothing, and takes
//! every variant in turn.

use crate::sets::SymbolicPortSet;
use crate::symbols::{SymbolicFirstPorts, any_port, choose, fresh, ports_are_symbols, refuse};
use serde::{
    Deserialize,
    de::{
        self, DeserializeSeed, IntoDeserializer, Visitor,
        value::{Error, U32Deserializer, U64Deserializer},
    },
};

/// The number of ports of a process on a ring.
pub(crate) const DEGREE: u32 = 2;

/// Returns a value of the type, another one on each path.
pub(crate) fn any<'de, T: Deserialize<'de>>() -> T {
    T::deserialize(Any).unwrap_or_else(|error| refuse(error.to_string()))
}

struct Any;

/// The parts of a tuple or a struct, as many as are left.
struct Parts(usize);

impl<'de> de::SeqAccess<'de> for Parts {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let Some(left) = self.0.checked_sub(1) else { return Ok(None) };
        self.0 = left;
        seed.deserialize(Any).map(Some)
    }
}

struct Variant(u32);

impl<'de> de::EnumAccess<'de> for Variant {
    type Error = Error;
    type Variant = Any;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Any), Error> {
        Ok((seed.deserialize(IntoDeserializer::<Error>::into_deserializer(self.0))?, Any))
    }
}

impl<'de> de::VariantAccess<'de> for Any {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, parts: usize, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Parts(parts))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_seq(Parts(fields.len()))
    }
}

/// Refuses types by name.
macro_rules! refused {
    ($($words:literal: $($name:ident)*;)*) => {$($(
        fn $name<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
            Err(de::Error::custom(concat!("its state or a message has ", $words)))
        }
    )*)*};
}

impl<'de> de::Deserializer<'de> for Any {
    type Error = Error;

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(choose(2) == 1)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if choose(2) == 0 { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        match name {
            "Id" | "Place" => visitor.visit_newtype_struct(U64Deserializer::new(fresh())),
            "FirstPorts" => {
                let first = SymbolicFirstPorts::of_state();
                visitor.visit_newtype_struct(U32Deserializer::new(first))
            }
            "PortSet" | "CountedPorts" | "WaitedPorts" => {
                let set = SymbolicPortSet::of_state();
                visitor.visit_newtype_struct(U64Deserializer::new(set))
            }
            "Count" | "Size" => visitor.visit_newtype_struct(U32Deserializer::new(0)),
            "Port" => {
                let port = match ports_are_symbols() {
                    true => any_port().0,
                    false => choose(DEGREE as usize) as u32,
                };
                visitor.visit_newtype_struct(U32Deserializer::new(port))
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        parts: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_seq(Parts(parts))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        parts: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_seq(Parts(parts))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_seq(Parts(fields.len()))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(Variant(choose(variants.len()) as u32))
    }

    refused! {
        "a number": deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_i8
            deserialize_i16 deserialize_i32 deserialize_i64 deserialize_f32 deserialize_f64;
        "a text": deserialize_char deserialize_str deserialize_string deserialize_bytes
            deserialize_byte_buf deserialize_identifier;
        "a list": deserialize_seq deserialize_map;
        "any value": deserialize_any deserialize_ignored_any;
    }
}
