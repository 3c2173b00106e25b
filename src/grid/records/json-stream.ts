/** Long JSON answers in pieces: the same text as `JSON.stringify(value, null, 2)`, a few records at a time. */

/** Records in one piece; a piece of full incidents takes about a millisecond. */
const pieceRecords = 8

/** Writes an object whose last field `name` is a long list; `show` converts each record when its turn comes. */
export function* formatJsonStream<Kept>(
  head: Readonly<Record<string, unknown>>,
  name: string,
  records: readonly Kept[],
  show: (record: Kept) => unknown = (record) => record,
): Generator<string> {
  const fields = Object.entries(head).map(([key, value]) => `  ${JSON.stringify(key)}: ${indent(value, '  ')},\n`)
  yield `{\n${fields.join('')}  ${JSON.stringify(name)}: [`
  for (let from = 0; from < records.length; from += pieceRecords) {
    const piece = records.slice(from, from + pieceRecords).map((record) => `\n    ${indent(show(record), '    ')}`)
    yield (from === 0 ? '' : ',') + piece.join(',')
  }
  yield records.length === 0 ? ']\n}' : '\n  ]\n}'
}

function indent(value: unknown, margin: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${margin}`)
}
