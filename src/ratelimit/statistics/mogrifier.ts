/** Mogrifiers: patterns that turn parts of a statistic's name into DogStatsD tags, as the reference reads them. */

import { messageOf } from '#base/errors.ts'
import { invalidSettings } from '../errors.ts'

/** One tag: its key and its value. */
export type Tag = readonly [key: string, value: string]

/** One mogrifier; `$0`, `$1` and so on are replaced by what the pattern and its groups have matched. */
export interface Mogrifier {
  readonly pattern: RegExp
  /** Takes the place of the whole name. */
  readonly name: string
  readonly tags: readonly Tag[]
}

/** Rewrites a name by the first mogrifier whose pattern is found in it; a name that none fits stays as it is. */
export function mogrify(name: string, mogrifiers: readonly Mogrifier[]): Omit<Mogrifier, 'pattern'> {
  for (const mogrifier of mogrifiers) {
    const groups = mogrifier.pattern.exec(name)
    if (groups === null) continue
    const fill = (text: string) => fillIn(text, groups)
    return { name: fill(mogrifier.name), tags: mogrifier.tags.map(([key, value]) => [key, fill(value)]) }
  }
  return { name, tags: [] }
}

/** Puts groups in; a group that took no part is empty, a number beyond the groups stays as it is written. */
function fillIn(text: string, groups: RegExpExecArray): string {
  return text.replace(/\$(\d+)/g, (written, digits: string) =>
    Number(digits) < groups.length ? (groups[Number(digits)] ?? '') : written,
  )
}

/**
 * Reads the mogrifiers of an environment: for every name `DOG_STATSD_MOGRIFIER_<NAME>_PATTERN`, `_NAME` and `_TAGS`
 * (`key:value,key:value`). The spelling `DOG_STATSD_MOGRIFIERS_<NAME>_`, which the reference's page has, is taken too.
 *
 * @param names - in the order in which they are tried; their letters are large in the variables.
 * @param read - the text of a variable; undefined when it is absent.
 * @throws RatelimitError invalid_settings when a variable is absent or cannot be read; the message names it.
 */
export function readMogrifiers(
  names: readonly string[],
  read: (variable: string) => string | undefined,
): readonly Mogrifier[] {
  return names.map((name) => {
    const end = (part: string) => `${name.toUpperCase()}_${part}`
    const variable = (part: string) => `DOG_STATSD_MOGRIFIER_${end(part)}`
    const own = (part: string) => read(variable(part)) ?? read(`DOG_STATSD_MOGRIFIERS_${end(part)}`) ?? ''
    const tags = own('TAGS')
    if (own('NAME') === '') throw invalidSettings(`${variable('NAME')} is empty, expected the name to send`)
    return {
      pattern: compilePattern(variable('PATTERN'), own('PATTERN')),
      name: own('NAME'),
      tags: tags === '' ? [] : tags.split(',').map((pair) => readTag(variable('TAGS'), pair)),
    }
  })
}

function readTag(variable: string, pair: string): Tag {
  const [key = '', value = '', ...more] = pair.split(':')
  if (key !== '' && value !== '' && more.length === 0) return [key, value]
  throw invalidSettings(`${variable} has "${pair}", expected tags as key:value, separated by commas`)
}

/** The classes of POSIX, which are written inside brackets, and what they hold. */
const classes: Readonly<Record<string, string>> = {
  alpha: 'a-zA-Z',
  digit: '0-9',
  alnum: 'a-zA-Z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  word: '\\w',
  space: '\\s',
  punct: '!-\\/:-@[-`{-~',
  xdigit: '0-9A-Fa-f',
}

/** Escapes that mean the same in RE2 and here; every character that is not a letter or a digit may be escaped, too. */
const sameEscapes = /[dDwWsSbBnrtfvx]|[^A-Za-z0-9]/

/**
 * Compiles a pattern in the notation of the reference (RE2), flags `i`, `m` and `s` at the front included.
 *
 * What would mean something else here is refused, and so is what RE2 refuses because its time has no bound: looking
 * around and referring back.
 *
 * @throws RatelimitError invalid_settings when the pattern is empty, refused or not of RE2.
 */
function compilePattern(variable: string, text: string): RegExp {
  try {
    if (text === '') throw new SyntaxError('it is empty')
    const [, flags = '', body = text] = /^\(\?([ims]+)\)(.*)$/s.exec(text) ?? []
    return new RegExp(translate(body), [...new Set(flags)].join(''))
  } catch (error) {
    const state = messageOf(error)
    throw invalidSettings(`${variable} is ${JSON.stringify(text)}, expected a regular expression of RE2: ${state}`)
  }
}

/** Writes a pattern of RE2 in our notation. */
function translate(pattern: string): string {
  let isInClass = false
  return pattern.replace(
    /\\(x\{|[\s\S])|\[:(\^?\w+):\]|\(\?(P?<(?![=!])|[=!]|<[=!])|(\[\^?\]?|\])/g,
    (written: string, escaped?: string, name?: string, group?: string, bracket?: string) => {
      if (escaped !== undefined) return translateEscape(written, escaped)
      if (bracket !== undefined) {
        const begins = !isInClass && written !== ']'
        isInClass = begins || !written.endsWith(']')
        // The first bracket of a class is a character of it.
        return begins ? written.replace(']', '\\]') : written
      }
      if (name !== undefined) return isInClass ? (classes[name] ?? refuse(written)) : written
      if (isInClass) return written
      return group === 'P<' || group === '<' ? '(?<' : refuse(written)
    },
  )
}

function translateEscape(written: string, escaped: string): string {
  if (escaped === 'A') return '(?<![\\s\\S])'
  if (escaped === 'z') return '(?![\\s\\S])'
  // The number of a character in braces would be a repeat of x.
  return sameEscapes.test(escaped) && escaped !== 'x{' ? written : refuse(written)
}

function refuse(written: string): never {
  throw new SyntaxError(`${written} is not supported`)
}
