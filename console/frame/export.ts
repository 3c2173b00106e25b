/** Charts and tables as files: CSV, SVG and PNG, made in the page. */

/** Gives a text to the person as a file. */
export function downloadText(name: string, type: string, text: string): void {
  downloadBlob(name, new Blob([text], { type: `${type};charset=utf-8` }))
}

/** Gives octets to the person as a file. */
export function downloadBlob(name: string, blob: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

/** Writes rows as CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe first. */
export function writeCsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${row.map(writeCell).join(',')}\r\n`).join('')
}

function writeCell(value: string | number | null): string {
  if (value === null || typeof value === 'number') return value === null ? '' : String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The text of a drawing with its colours written out, so that it looks the same without the style sheet. */
export function svgText(drawing: SVGSVGElement): string {
  // A clone of an SVG element is one.
  const copy = drawing.cloneNode(true) as SVGSVGElement
  const from = drawing.querySelectorAll('*')
  copy.querySelectorAll<SVGElement>('*').forEach((element, index) => {
    const original = from[index]
    if (original === undefined) return
    const style = getComputedStyle(original)
    for (const name of ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'font-size', 'font-family', 'opacity']) {
      element.setAttribute(name, style.getPropertyValue(name))
    }
  })
  const { width, height } = drawing.getBoundingClientRect()
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  copy.style.background = getComputedStyle(document.body).backgroundColor
  return new XMLSerializer().serializeToString(copy)
}

/** Gives a drawing to the person as PNG, at twice its size on the screen. */
export async function downloadPng(name: string, drawing: SVGSVGElement): Promise<void> {
  const { width, height } = drawing.getBoundingClientRect()
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(drawing))}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width * 2
  canvas.height = height * 2
  const context = canvas.getContext('2d')
  if (context === null) return
  context.fillStyle = getComputedStyle(document.body).backgroundColor
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  canvas.toBlob((blob) => blob !== null && downloadBlob(name, blob))
}
