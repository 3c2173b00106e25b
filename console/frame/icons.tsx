/** The icons of the rail: strokes of the text's colour on a 20 by 20 field. */

import type { JSX } from 'preact'

const paths = {
  home: 'M3 9.5 10 4l7 5.5M5 8.5V16h10V8.5',
  ratelimit: 'M4 3v14M16 3v14M4 7h12M7.5 11h5M9 15h2',
  grid: 'M3 5h14M6 5v5M14 5v5M3 10h6M11 10h6M6 10v6M14 10v6M4 16h4M12 16h4',
  streams: 'M3 13c2.5 0 2.5-6 5-6s2.5 6 5 6 2-4 4-4',
  docs: 'M5 3h7l3 3v11H5zM12 3v3h3M7.5 10h5M7.5 13h5',
} as const

/** An icon; the words beside it say what it is. */
export function Icon({ name }: { readonly name: keyof typeof paths }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
