/**
 * Says what a command is doing: in a terminal on one line that changes and goes; elsewhere on plain lines, of which a
 * quick command prints none.
 */

/** @typedef {{ isTTY?: boolean, columns?: number, write(text: string): unknown }} Terminal */

/**
 * @typedef {object} Progress
 * @property {(what: string) => void} step - begins a step, such as "Starting the runtime".
 * @property {(detail: string) => void} detail - how far the step is.
 * @property {(line: string) => void} say - prints a line that stays.
 * @property {() => void} end - nothing more is going on.
 */

/** Milliseconds between two changes of a terminal's line. */
const tickMs = 500
/** Milliseconds until a step has its first plain line, and between further ones. */
const [firstMs, furtherMs] = [1_000, 10_000]

/**
 * Makes the progress of one command, which may be quiet: then only lines that stay are printed.
 *
 * @param {{ terminal?: Terminal, isQuiet?: boolean }} [options]
 * @returns {Progress}
 */
export function createProgress({ terminal = process.stderr, isQuiet = false } = {}) {
  const isLive = terminal.isTTY === true && process.env.TERM !== 'dumb'
  let [what, how, startedMs, nextMs] = ['', '', 0, 0]
  /** @type {NodeJS.Timeout | undefined} */
  let timer

  const line = () => {
    const seconds = Math.floor((Date.now() - startedMs) / 1000)
    return `${what} ...${how && ` ${how}`}${seconds > 1 ? ` (${seconds} s)` : ''}`
  }
  // A line that wraps could not be taken back.
  const show = () => isLive && terminal.write(`\r\x1b[K${line().slice(0, (terminal.columns || 80) - 1)}`)
  const clear = () => isLive && what !== '' && terminal.write('\r\x1b[K')
  const tick = () => {
    if (isLive || Date.now() - startedMs < nextMs) return void show()
    terminal.write(`${line()}\n`)
    nextMs = Date.now() - startedMs + furtherMs
  }

  return {
    step(next) {
      if (isQuiet) return
      ;[what, how, startedMs, nextMs] = [next, '', Date.now(), firstMs]
      show()
      timer ??= setInterval(tick, tickMs).unref()
    },
    detail(next) {
      how = next
      if (what !== '') show()
    },
    say(text) {
      clear()
      terminal.write(`${text}\n`)
      if (what !== '') show()
    },
    end() {
      clear()
      clearInterval(timer)
      what = ''
      timer = undefined
    },
  }
}
