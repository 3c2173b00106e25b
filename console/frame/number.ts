/** Numbers as the console writes them. */

/** A number as text, with a thin space between thousands. */
export function formatNumber(value: number, digits = Number.isInteger(value) ? 0 : 1): string {
  if (!Number.isFinite(value)) return '-'
  const [whole = '', fraction] = Math.abs(value).toFixed(digits).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '\u2009')
  return `${value < 0 ? '-' : ''}${grouped}${fraction === undefined ? '' : `.${fraction}`}`
}

/** A decimal with two places, or with three figures where it is nearer to 0, so that it is not taken for nothing. */
export function formatDecimal(value: number): string {
  const isSmall = value !== 0 && Math.abs(value) < 1
  const places = isSmall ? Math.min(20, 2 - Math.floor(Math.log10(Math.abs(value)))) : 2
  return formatNumber(value, places).replace(/(\.\d\d+?)0+$/, '$1')
}

/** A number in at most four figures: `12345` becomes `12.3k`. */
export function shortNumber(value: number): string {
  if (value < 10_000) return String(value)
  const [size, sign] = value < 1_000_000 ? [1_000, 'k'] : [1_000_000, 'M']
  return `${Number((value / size).toPrecision(3))}${sign}`
}
