/** Nominal types over plain values: a value is checked once by its parser and carries the proof in its type. */

declare const brand: unique symbol

/** `T` that has passed the parser named `Name`. Only that parser may cast to it. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name }
