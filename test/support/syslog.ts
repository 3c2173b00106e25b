/** Readers of syslog for tests, written from RFC 5424, RFC 6587 and the CEF standard without the code under test. */

/** A message of RFC 5424, taken apart. */
export interface SyslogMessage {
  readonly facility: number
  readonly severity: number
  readonly timestamp: string
  readonly hostname: string
  readonly appName: string
  readonly procId: string
  readonly msgId: string
  readonly data: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly message: string
}

/** Cuts a stream into the messages that octet counting frames; throws where a frame is broken. */
export function readFrames(octets: Uint8Array): readonly Uint8Array[] {
  const frames: Uint8Array[] = []
  for (let at = 0; at < octets.length; ) {
    const space = octets.indexOf(0x20, at)
    const digits = Buffer.from(octets.subarray(at, space)).toString('latin1')
    if (space < 0 || !/^[1-9]\d*$/.test(digits)) throw new Error(`No length at octet ${at}: ${digits}`)
    const end = space + 1 + Number(digits)
    if (end > octets.length) throw new Error(`The frame at octet ${at} has ${octets.length - space - 1} octets`)
    frames.push(octets.subarray(space + 1, end))
    at = end
  }
  return frames
}

const header =
  /^<(0|[1-9]\d{0,2})>1 (-|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)) ([!-~]{1,255}) ([!-~]{1,48}) ([!-~]{1,128}) ([!-~]{1,32}) /

/** Takes a message apart by the grammar of RFC 5424, section 6; throws where it is not of it. */
export function readMessage(octets: Uint8Array): SyslogMessage {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets)
  const match = header.exec(text)
  if (match === null) throw new Error(`Not a header: ${text.slice(0, 120)}`)
  const [whole, priority = '', timestamp = '', hostname = '', appName = '', procId = '', msgId = ''] = match
  const pri = Number(priority)
  if (pri > 191) throw new Error(`Not a priority: ${priority}`)
  const { data, end } = readData(text, whole.length)
  const rest = text.slice(end)
  if (rest !== '' && !rest.startsWith(' ')) throw new Error(`Not a message: ${rest.slice(0, 80)}`)
  const names = { timestamp, hostname, appName, procId, msgId }
  return { facility: pri >> 3, severity: pri & 7, ...names, data, message: rest.slice(1) }
}

function readData(text: string, start: number): { readonly data: SyslogMessage['data']; readonly end: number } {
  if (text[start] === '-') return { data: {}, end: start + 1 }
  const data: Record<string, Record<string, string>> = {}
  let at = start
  while (text[at] === '[') {
    const element = /^\[([^\s=\]"]{1,32})((?: [^\s=\]"]{1,32}="(?:[^"\\\]]|\\.)*")*)\]/su.exec(text.slice(at))
    if (element === null) throw new Error(`Not an element: ${text.slice(at, at + 120)}`)
    const [whole, id = '', params = ''] = element
    if (id in data) throw new Error(`Two elements ${id}`)
    const pairs = [...params.matchAll(/ ([^\s=\]"]+)="((?:[^"\\\]]|\\.)*)"/gsu)]
    data[id] = Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value.replace(/\\(["\\\]])/g, '$1')]))
    at += whole.length
  }
  return { data, end: at }
}

/** A line of CEF, taken apart. */
export interface CefLine {
  readonly header: readonly string[]
  readonly extension: Readonly<Record<string, string>>
}

/** Takes a line of CEF apart: seven fields between bars, then `key=value` pairs. */
export function readCef(line: string): CefLine {
  const fields: string[] = []
  let at = 0
  for (let count = 0; count < 7; count++) {
    const field = /^((?:[^|\\]|\\[|\\])*)\|/su.exec(line.slice(at))
    if (field === null) throw new Error(`Not a field: ${line.slice(at, at + 120)}`)
    fields.push((field[1] ?? '').replace(/\\([|\\])/g, '$1'))
    at += field[0].length
  }
  // A key begins behind a blank and ends at the first equals sign that is not escaped.
  const pairs = line.slice(at).split(/ (?=\w+=)/u)
  const extension = Object.fromEntries(
    pairs.map((pair) => {
      const split = /^(\w+)=((?:[^=\\]|\\[=\\nr])*)$/su.exec(pair)
      if (split === null) throw new Error(`Not an extension: ${pair}`)
      const [, key = '', value = ''] = split
      return [key, value.replace(/\\([=\\])/g, '$1')]
    }),
  )
  return { header: fields, extension }
}
