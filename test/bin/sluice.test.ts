/** The command `sluice`: which module a command line leads to, help, completion, and tokens of a state folder. */

import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { commands, wordsOf } from '#bin/sluice/commands.ts'
import { completionScript } from '#bin/sluice/completion.ts'
import { findCommand } from '#bin/sluice/find-command.ts'
import { helpText } from '#bin/sluice/help.ts'
import { makeFolder } from '../support/folder.ts'
import { findProgram } from '../support/process.ts'

const folder = makeFolder()

const sluice = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(projectRoot, 'bin/sluice.mjs'), ...args], { encoding: 'utf8', cwd: folder })

describe('findCommand()', () => {
  it.each(commands.map((command) => [wordsOf(command), command] as const))(
    'leads "%s" to its module',
    (words, command) => {
      const found = findCommand([...words.split(' '), '--json'])
      expect(found.command).toBe(command)
      expect(found.args).toEqual([...(command.keeps ?? []), '--json'])
    },
  )

  it.each([
    [['doctr'], 'there is no command "doctr", perhaps sluice doctor'],
    [['ratelimit', 'pusch'], 'there is no command "ratelimit pusch", perhaps sluice ratelimit push'],
    [['xyzzy'], 'there is no command "xyzzy", see sluice help'],
  ])('names the command nearest to %j', (args, message) => {
    expect(() => findCommand(args)).toThrow(message)
  })
})

describe('helpText()', () => {
  it('has every command with an example that leads to it', () => {
    for (const command of commands) {
      expect(helpText()).toContain(`  ${wordsOf(command)} `)
      expect(command.example).toContain(`sluice ${wordsOf(command)}`)
    }
  })
})

describe('completionScript()', () => {
  it('is a script of bash that completes the second word of a group', () => {
    const script = `${completionScript('bash')}
      COMP_WORDS=(sluice ratelimit p); COMP_CWORD=2; _sluice; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(sluice do); COMP_CWORD=1; _sluice; echo "\${COMPREPLY[@]}"`
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe('push\ndoctor\n')
  })

  it.skipIf(findProgram('zsh') === null)('is a script that zsh parses', () => {
    execFileSync('zsh', ['-n', '-c', completionScript('zsh')])
  })

  it('prints its usage', () => {
    expect(completionScript('--help')).toContain('source <(sluice completion bash)')
  })

  it('refuses a shell that it does not know', () => {
    expect(() => completionScript('fish')).toThrow('Cannot complete: "fish" is not known, expected bash or zsh')
  })
})

describe('sluice', () => {
  it('ends with 1 and one line for a command that does not exist', () => {
    const { status, stderr } = sluice('strat')
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^.*perhaps sluice start.*\n$/)])
  })

  it('ends with 1 and one line for an option that does not exist', () => {
    const { status, stderr } = sluice('token', '--presist', 'x')
    expect([status, stderr]).toEqual([1, 'Cannot print a token: there is no option --presist, perhaps --persist\n'])
  })
})

describe.each([
  ['sluice', 'sluice'],
  ['run', 'this project'],
])('bin/%s.mjs', (name, what) => {
  it.each(['v18.20.8', 'v20.18.3'])('refuses Node %s by its version', (version) => {
    const older = `data:text/javascript,Object.defineProperty(process,"version",{value:"${version}"})`
    const args = ['--import', older, join(projectRoot, `bin/${name}.mjs`), 'start']
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder })
    expect([status, stderr]).toEqual([1, `Cannot run ${what}: this is Node ${version}, expected 20.19 or later\n`])
  })
})

describe('sluice token --persist', () => {
  const secrets = {
    ADMIN_TOKEN: 'a1a1a1a1a1a1a1a1',
    GRID_TOKEN: 'b2b2b2b2b2b2b2b2',
    STREAMNET_TOKEN: 'c3c3c3c3c3c3c3c3',
    STREAMNET_PRIVATE_KEY: 'ab'.repeat(32),
  }
  const token = (...args: readonly string[]) => sluice('token', ...args, '--persist', folder)

  beforeAll(() => writeFileSync(join(folder, 'secrets.json'), JSON.stringify(secrets)))

  it('prints one token of a state folder by its name', () => {
    expect(token('GRID_TOKEN').stdout).toBe('b2b2b2b2b2b2b2b2\n')
  })

  it('prints all tokens for a shell with --shell, without the private key', () => {
    expect(token('--shell').stdout).toBe(
      'export ADMIN_TOKEN=a1a1a1a1a1a1a1a1\nexport GRID_TOKEN=b2b2b2b2b2b2b2b2\nexport STREAMNET_TOKEN=c3c3c3c3c3c3c3c3\n',
    )
  })

  it('never prints the private key', () => {
    expect(token('STREAMNET_PRIVATE_KEY')).toMatchObject({ status: 1, stdout: '' })
  })
})
