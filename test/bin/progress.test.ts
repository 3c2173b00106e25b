/** `bin/run/progress.mjs`: what a terminal and what a log gets. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createProgress } from '#bin/run/progress.mjs'

beforeEach(() => {
  vi.stubEnv('TERM', 'xterm')
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

function terminal(isTTY: boolean, columns = 80) {
  const written: string[] = []
  return { isTTY, columns, write: (text: string) => written.push(text), text: () => written.join('') }
}
const erase = '\r\x1b[K'

describe('createProgress()', () => {
  it('changes one line of a terminal, and clears it at the end', () => {
    const to = terminal(true)
    const progress = createProgress({ terminal: to })
    progress.step('Installing packages')
    progress.detail('3 of 9')
    vi.advanceTimersByTime(2_000)
    progress.step('Starting')
    progress.end()
    vi.advanceTimersByTime(60_000)
    expect(to.text()).not.toContain('\n')
    const lines = to.text().split(erase)
    expect(lines).toContain('Installing packages ... 3 of 9 (2 s)')
    expect(lines.slice(-2)).toEqual(['Starting ...', ''])
  })

  it('keeps lines that stay above the one that changes', () => {
    const to = terminal(true)
    const progress = createProgress({ terminal: to })
    progress.step('Starting')
    progress.say('a warning')
    expect(to.text()).toBe(`${erase}Starting ...${erase}a warning\n${erase}Starting ...`)
  })

  it('cuts a line that a narrow terminal would wrap', () => {
    const to = terminal(true, 10)
    createProgress({ terminal: to }).step('Installing packages')
    expect(to.text()).toBe(`${erase}Installin`)
  })

  it.each(['no terminal', 'a dumb one'])(
    'prints plain lines where there is %s, and no line of a quick step',
    (kind) => {
      vi.stubEnv('TERM', kind === 'a dumb one' ? 'dumb' : 'xterm')
      const to = terminal(kind === 'a dumb one')
      const progress = createProgress({ terminal: to })
      progress.step('Bundling')
      progress.step('Installing')
      progress.detail('3 of 9')
      vi.advanceTimersByTime(12_000)
      progress.end()
      vi.advanceTimersByTime(60_000)
      expect(to.text()).toBe('Installing ... 3 of 9\nInstalling ... 3 of 9 (11 s)\n')
    },
  )

  it('prints only lines that stay when it is quiet', () => {
    const to = terminal(true)
    const progress = createProgress({ terminal: to, isQuiet: true })
    progress.step('Starting')
    progress.detail('1 of 2')
    progress.say('a warning')
    progress.end()
    expect(to.text()).toBe('a warning\n')
  })
})
