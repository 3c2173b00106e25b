/** The command line of this process, as `/debug/pprof/cmdline` shows it. */

/** Leaves out the values of settings, which may be secrets. */
export function commandLineWithoutSecrets(words: readonly string[]): readonly string[] {
  return words.map((word, at) => {
    if (words[at - 1] === '--var') return word.replace(/=.*/s, '=...')
    return word.replace(/^(--var=[^=]*=).*/s, '$1...')
  })
}
