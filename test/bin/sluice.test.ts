/** The command `sluice`: which module a command line leads to, help, completion, and tokens of a state folder. */

import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
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

it.each([
  ['sluice.mjs', 'sluice'],
  ['run.mjs', 'this project'],
])('bin/%s on an old Node says which version it needs', (name, what) => {
  const old = 'data:text/javascript,Object.defineProperty(process,"version",{value:"v18.20.8"})'
  const { status, stderr } = spawnSync(process.execPath, ['--import', old, join(projectRoot, 'bin', name), 'doctor'], {
    encoding: 'utf8',
    cwd: folder,
  })
  expect([status, stderr]).toEqual([1, `Cannot run ${what}: this is Node v18.20.8, expected 20.19 or later\n`])
})

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
  it('ends with 1 and one line for a command and an option that do not exist', () => {
    expect(sluice('strat')).toMatchObject({ status: 1, stderr: expect.stringContaining('perhaps sluice start') })
    expect(sluice('token', '--presist', 'x')).toMatchObject({
      status: 1,
      stderr: 'Cannot print a token: there is no option --presist, perhaps --persist\n',
    })
  })

  it.each(['sluice', 'run'])('refuses an older Node by its version: bin/%s.mjs', (name) => {
    const older = 'data:text/javascript,Object.defineProperty(process,"version",{value:"v20.18.3"})'
    const args = ['--import', older, join(projectRoot, `bin/${name}.mjs`), 'start']
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^Cannot run .*this is Node v20\.18\.3, expected 20\.19 or later\n$/),
    ])
  })

  it('prints the tokens of a state folder, and never its private key', () => {
    const key = 'ab'.repeat(32)
    const tokens = {
      ADMIN_TOKEN: 'a1a1a1a1a1a1a1a1',
      GRID_TOKEN: 'b2b2b2b2b2b2b2b2',
      STREAMNET_TOKEN: 'c3c3c3c3c3c3c3c3',
      STREAMNET_PRIVATE_KEY: key,
    }
    writeFileSync(join(folder, 'secrets.json'), JSON.stringify(tokens))
    expect(sluice('token', 'GRID_TOKEN', '--persist', folder).stdout).toBe(`${tokens.GRID_TOKEN}\n`)
    const lines = sluice('token', '--shell', '--persist', folder).stdout
    expect(lines).toBe(
      'export ADMIN_TOKEN=a1a1a1a1a1a1a1a1\nexport GRID_TOKEN=b2b2b2b2b2b2b2b2\nexport STREAMNET_TOKEN=c3c3c3c3c3c3c3c3\n',
    )
    expect(sluice('token', 'STREAMNET_PRIVATE_KEY', '--persist', folder)).toMatchObject({ status: 1, stdout: '' })
  })
})
