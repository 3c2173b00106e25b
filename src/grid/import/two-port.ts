/** Lines and transformers as two-ports in per unit: a symmetrical branch, and what is left of it at either end. */

/** A complex number. */
export interface Complex {
  readonly re: number
  readonly im: number
}

/** The sum of two numbers. */
export const add = (a: Complex, b: Complex): Complex => ({ re: a.re + b.re, im: a.im + b.im })
/** The difference of two numbers. */
export const subtract = (a: Complex, b: Complex): Complex => ({ re: a.re - b.re, im: a.im - b.im })
/** The product of two numbers. */
export const multiply = (a: Complex, b: Complex): Complex => ({
  re: a.re * b.re - a.im * b.im,
  im: a.re * b.im + a.im * b.re,
})
/** A number times a real factor. */
export const scale = ({ re, im }: Complex, factor: number): Complex => ({ re: re * factor, im: im * factor })

/** The quotient of two numbers. */
export function divide(a: Complex, b: Complex): Complex {
  const square = b.re * b.re + b.im * b.im
  return scale(multiply(a, { re: b.re, im: -b.im }), 1 / square)
}

const one: Complex = { re: 1, im: 0 }

/** A branch: series impedance, an admittance at either end of it, and an ideal transformer at the from side. */
export interface TwoPort {
  readonly series: Complex
  /** Behind the ideal transformer. */
  readonly atFrom: Complex
  readonly atTo: Complex
  readonly ratio: number
}

/** A two-port with half of a shunt admittance at either end. */
export function makePi(series: Complex, shunt: Complex, ratio = 1): TwoPort {
  return { series, atFrom: scale(shunt, 0.5), atTo: scale(shunt, 0.5), ratio }
}

/** A two-port whose shunt admittance is in the middle of its series impedance: star to delta. */
export function makeT(series: Complex, shunt: Complex, ratio = 1): TwoPort {
  if (shunt.re === 0 && shunt.im === 0) return makePi(series, shunt, ratio)
  const half = scale(series, 0.5)
  const middle = divide(one, shunt)
  const sum = add(multiply(half, half), scale(multiply(half, middle), 2))
  const atEnd = divide(half, sum)
  return { series: divide(sum, middle), atFrom: atEnd, atTo: atEnd, ratio }
}

/** The admittance that one end shows when the other is open. */
export function openEnd({ series, atFrom, atTo, ratio }: TwoPort, open: 'from' | 'to'): Complex {
  const [near, far] = open === 'to' ? [atFrom, atTo] : [atTo, atFrom]
  // Without an admittance at the far end no current flows through the series impedance.
  const through = far.re === 0 && far.im === 0 ? far : divide(one, add(series, divide(one, far)))
  const seen = add(near, through)
  return open === 'to' ? scale(seen, 1 / (ratio * ratio)) : seen
}

/** The branch of a two-port, whose ends have half of `b` each, and the admittances at the buses that make up the rest. */
export function toBranch({ series, atFrom, atTo, ratio }: TwoPort) {
  const b = atFrom.im + atTo.im
  const half = { re: 0, im: b / 2 }
  return {
    branch: { r: series.re, x: series.im, b, ratio },
    atFrom: scale(subtract(atFrom, half), 1 / (ratio * ratio)),
    atTo: subtract(atTo, half),
  }
}
