/** The address of a request, read once: seven parts of a surface look at it, and reading it costs microseconds. */

import { memo } from '#base/memo.ts'

/** The address of a request; it is shared, so it is only read. */
export const urlOf = memo((request: Request) => new URL(request.url))
