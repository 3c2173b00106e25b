/** Variables of MMS (ISO 9506-2): their names, and what is read of them. */

import { concatBytes } from '#base/bytes.ts'
import type { OctetReader } from '../../link/octet-reader.ts'
import { type BerElement, encodeElement, encodeInteger, listElements, listInside, readInteger } from '../ber.ts'
import { encodeEntries, type MmsData, takeEntries } from '../mms-data.ts'
import { encodeText, readText } from './fields.ts'

/** The name of a variable or a list of variables. */
export type MmsName =
  | { readonly scope: 'vmd' | 'association'; readonly item: string }
  | { readonly scope: 'domain'; readonly domain: string; readonly item: string }

/** The variables of a read, a write or a report. */
export type MmsVariables = { readonly names: readonly MmsName[] } | { readonly list: MmsName }

/** A value that was read, or the code of the error in its place (ISO 9506-2 DataAccessError). */
export type MmsResult = MmsData | { readonly kind: 'failure'; readonly code: number }

/** Encodes the variables of a read, a write or a report. */
export function encodeVariables(variables: MmsVariables): Uint8Array {
  if ('list' in variables) return encodeElement(0xa1, encodeName(variables.list))
  return encodeElement(
    0xa0,
    ...variables.names.map((name) => encodeElement(0x30, encodeElement(0xa0, encodeName(name)))),
  )
}

function encodeName(name: MmsName): Uint8Array {
  if (name.scope !== 'domain') return encodeText(name.scope === 'vmd' ? 0x80 : 0x82, name.item)
  return encodeElement(0xa1, encodeText(0x1a, name.domain), encodeText(0x1a, name.item))
}

/** Encodes values and errors behind each other. */
export function encodeResults(results: readonly MmsResult[]): Uint8Array {
  return concatBytes(
    ...results.map((one) => (one.kind === 'failure' ? encodeInteger(0x80, one.code) : encodeEntries([one]))),
  )
}

/** Takes the variables of a read, a write or a report. Faults: `unsupported`, `value`. */
export function takeVariables(reader: OctetReader, found: BerElement | undefined): MmsVariables {
  if (found?.tag === 0xa1) {
    const [name] = listElements(reader, found.contents, 'variableListName')
    return { list: takeName(reader, name) }
  }
  if (found?.tag !== 0xa0) reader.fail('unsupported', 'variables', 'the variables are neither names nor a list')
  const items = listInside(reader, found, 'listOfVariable')
  const names = items.map(({ contents }) => {
    const [specification, more] = listElements(reader, contents, 'variable')
    const isName = specification?.tag === 0xa0 && more === undefined
    if (!isName) reader.fail('unsupported', 'variable', 'a variable is not given by its name alone')
    const [name] = listInside(reader, specification, 'name')
    return takeName(reader, name)
  })
  return { names }
}

function takeName(reader: OctetReader, found: BerElement | undefined): MmsName {
  if (found?.tag === 0x80 || found?.tag === 0x82) {
    return { scope: found.tag === 0x80 ? 'vmd' : 'association', item: readText(reader, found) }
  }
  if (found?.tag !== 0xa1) reader.fail('value', 'objectName', 'an object name has another tag, expected 80, A1 or 82')
  const [domain, item] = listInside(reader, found, 'objectName')
  return { scope: 'domain', domain: readText(reader, domain), item: readText(reader, item) }
}

/** Takes values and errors that follow each other. */
export function takeResults(reader: OctetReader, contents: Uint8Array): readonly MmsResult[] {
  return listElements(reader, contents, 'accessResult').flatMap((one): readonly MmsResult[] => {
    if (one.tag === 0x80) return [{ kind: 'failure', code: readInteger(reader, one, 'failure') }]
    return takeEntries(reader, encodeElement(one.tag, one.contents), 0) ?? []
  })
}
