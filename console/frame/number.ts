/** Numbers as the console writes them. */

/** A number as text, with a thin space between thousands. */
export function formatNumber(value: number, digits = Number.isInteger(value) ? 0 : 1): string {
  if (!Number.isFinite(value)) return '-'
  const [whole = '', fraction] = Math.abs(value).toFixed(digits).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '\u2009')
  return `${value < 0 ? '-' : ''}${grouped}${fraction === undefined ? '' : `.${fraction}`}`
}

/** A number in at most four figures: `12345` becomes `12.3k`. */
export function shortNumber(value: number): string {
  if (value < 10_000) return String(value)
  const [size, sign] = value < 1_000_000 ? [1_000, 'k'] : [1_000_000, 'M']
  return `${Number((value / size).toPrecision(3))}${sign}`
}
