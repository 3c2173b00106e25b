/** A diagnosis as text for a person. */

import { counted } from '#base/naming.ts'
import type { Diagnosis, SettingInForce } from './diagnosis.ts'

/** Writes settings first and mistakes last, next to the prompt. */
export function showDiagnosis(diagnosis: Diagnosis): string {
  const { version, node, platform, runtime, stateFolder, running, settings, warnings, mistakes } = diagnosis
  return [
    `Sluice ${version}, Node ${node}, ${platform}, workerd ${runtime ?? 'missing'}`,
    `State folder: ${stateFolder ?? 'not known, because the settings have mistakes'}`,
    '',
    ...(settings.length === 0 ? ['Every setting has its default (--all prints them).'] : tabulate(settings)),
    '',
    ...warnings.map((line) => `Warning: ${line}`),
    ...mistakes,
    describeStart(running, mistakes.length),
    '',
  ].join('\n')
}

function describeStart(running: Diagnosis['running'], mistakeCount: number): string {
  const failure = `would fail: ${counted(mistakeCount, 'mistake')} to fix.`
  if (running === null) return mistakeCount === 0 ? 'A start would succeed.' : `A start ${failure}`
  const [address] = running.addresses
  const runs = `Already running on this folder: ${running.who}${address === undefined ? '' : ` at http://${address}`}.`
  return mistakeCount === 0 ? runs : `${runs} The next start ${failure}`
}

function tabulate(settings: readonly SettingInForce[]): readonly string[] {
  const widest = (texts: readonly string[]) => Math.min(50, Math.max(...texts.map(({ length }) => length)))
  const name = widest(settings.map((setting) => setting.name))
  const value = widest(settings.map((setting) => setting.value))
  const titles = [...new Set(settings.map(({ section }) => section))]
  return titles.flatMap((title) => [
    title,
    ...settings
      .filter(({ section }) => section === title)
      .map((one) => `  ${one.name.padEnd(name)}  ${one.value.padEnd(value)}  ${one.source}`),
  ])
}
