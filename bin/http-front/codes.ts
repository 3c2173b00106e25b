/** Codes that are good once and for a while. */

import { drawSecret, isEqualSecret } from './secret.ts'

/** Bounds on codes. */
export interface CodeBounds {
  /** Milliseconds for which a code is good. */
  readonly codeMs: number
  /** Codes that are good at once; a further one ends the oldest. */
  readonly maxCodes: number
}

interface Code {
  readonly text: string
  readonly endsMs: number
}

/** Starts without codes; they are kept in memory. */
export function createCodes({ codeMs, maxCodes }: CodeBounds, readClock: () => number) {
  let codes: readonly Code[] = []
  return {
    /** Makes a new code. */
    issue(): string {
      const code = { text: drawSecret(), endsMs: readClock() + codeMs }
      codes = [...codes, code].slice(-maxCodes)
      return code.text
    },
    /** Uses a code up; false when it is wrong, used or too old. */
    use(given: string): boolean {
      const code = codes.find(({ text }) => isEqualSecret(given, text))
      codes = codes.filter((one) => one !== code)
      return code !== undefined && readClock() < code.endsMs
    },
  }
}
