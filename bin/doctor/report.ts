/** A diagnosis as text for a person. */

import type { Diagnosis, SettingInForce } from './diagnosis.ts'

/** Writes what is in force first and what is wrong last, where it is seen. */
export function showDiagnosis(diagnosis: Diagnosis): string {
  const { version, node, platform, runtime, stateFolder, running, settings, warnings, mistakes } = diagnosis
  return [
    `Sluice ${version}, Node ${node}, ${platform}, workerd ${runtime ?? 'missing'}`,
    `State folder: ${stateFolder ?? 'not known, because the settings have mistakes'}`,
    '',
    ...(settings.length === 0 ? ['Every setting has its default (--all prints them).'] : table(settings)),
    '',
    ...warnings.map((line) => `Warning: ${line}`),
    ...mistakes,
    verdict(running, mistakes.length),
    '',
  ].join('\n')
}

function verdict(running: Diagnosis['running'], mistakes: number): string {
  if (running === null) {
    return mistakes === 0 ? 'A start would run.' : `A start would end here: ${mistakes} to mend.`
  }
  const place = running.addresses[0]
  const runs = `A start runs on this folder: ${running.who}${place === undefined ? '' : `, which answers on http://${place}`}.`
  return mistakes === 0 ? runs : `${runs} After it, a start would end here: ${mistakes} to mend.`
}

function table(settings: readonly SettingInForce[]): readonly string[] {
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
