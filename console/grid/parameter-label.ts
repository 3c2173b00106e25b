/** Labels of an attack's parameters in words, from their names in the interface. */

import type { Parameter } from '#grid/contract/attacks.ts'

/** Abbreviations in names, in words. */
const words: Readonly<Record<string, string>> = {
  freq: 'frequency',
  idx: 'index',
  num: 'number',
  st: 'state',
  std: 'spread',
  vm: 'voltage',
}

/** Last words of names that are units; the hint of the field has them. */
const units: ReadonlySet<string> = new Set(['deg', 'ms', 'percent', 'pu', 's'])

/** A name such as `vm_shift_pu` as a label: `Voltage shift`. */
export function parameterLabel(name: string): string {
  const parts = name.split('_')
  const shown = parts.length > 1 && units.has(parts.at(-1) ?? '') ? parts.slice(0, -1) : parts
  const text = shown.map((part) => words[part] ?? part).join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The bounds of a parameter, its description, and the value that an empty field sends. */
export function parameterHint({ min, max, unit, description, default: usual, enum: choices }: Parameter): string {
  const ofUnit = unit === undefined ? '' : ` ${unit}`
  const bounds = min === undefined ? '' : `${min} to ${max}${ofUnit}`
  const isTyped = choices === undefined && typeof usual !== 'boolean'
  const empty = isTyped ? `${Array.isArray(usual) ? usual.join(', ') : usual} when empty` : ''
  return [bounds, description, empty].filter(Boolean).join('; ')
}
