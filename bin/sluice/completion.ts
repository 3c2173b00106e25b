/** Completion of commands and subcommands for bash and zsh. */

import { commands } from './commands.ts'

const names = [...new Set(commands.map(({ name }) => name)), 'completion', 'help']
const subcommands = commands.flatMap(({ name, subcommand }) => (name === 'ratelimit' && subcommand) || [])

const bash = `_sluice() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  case "\${COMP_WORDS[1]}:$COMP_CWORD" in
    *:1) COMPREPLY=($(compgen -W "${names.join(' ')} --version" -- "$word")) ;;
    ratelimit:2) COMPREPLY=($(compgen -W "${subcommands.join(' ')}" -- "$word")) ;;
    completion:2) COMPREPLY=($(compgen -W "bash zsh" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -F _sluice sluice
`

const zsh = `#compdef sluice
_sluice() {
  case "$words[2]:$CURRENT" in
    *:2) compadd -- ${names.join(' ')} --version ;;
    ratelimit:3) compadd -- ${subcommands.join(' ')} ;;
    completion:3) compadd -- bash zsh ;;
    *) _files ;;
  esac
}
compdef _sluice sluice
`

/** The script that a shell reads: `source <(sluice completion bash)`. `--help` gives a line that says so. */
export function completionScript(shell: string | undefined): string {
  if (shell === 'bash') return bash
  if (shell === 'zsh') return zsh
  if (shell === '--help') return 'Usage: source <(sluice completion bash), or zsh instead of bash\n'
  const given = shell === undefined ? 'no shell is named' : `"${shell.slice(0, 100)}" is not known`
  throw new Error(`Cannot complete: ${given}, expected bash or zsh`)
}
