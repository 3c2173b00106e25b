/** Reads a JSON body by its shape, or lists every mistake in it. */

import type * as z from 'zod'
import { GridError } from '../errors.ts'
import { listMistakes, type OtherOrder } from './body-mistakes.ts'

/**
 * Reads a body by its shape.
 *
 * @param action - The action that the caller wanted, for the message: `set the speed`.
 * @param otherOrder - Which order takes a property that this one does not, for the message.
 * @throws GridError invalid_request when the body has mistakes and this is the code; the message lists every one.
 * @throws GridError invalid_configuration when the body has mistakes and this is the code.
 */
export function readBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  code: 'invalid_request' | 'invalid_configuration',
  action: string,
  otherOrder?: OtherOrder,
): z.infer<Schema> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw new GridError(code, `Cannot ${action}: ${listMistakes(schema, body, parsed.error, 'the body', otherOrder)}`)
}
