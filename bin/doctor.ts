/** `sluice doctor`: the settings in force with where each came from, and the mistakes with which a start would fail. */

import { diagnose } from './doctor/diagnosis.ts'
import { showDiagnosis } from './doctor/report.ts'

const usage = `Usage: sluice doctor [OPTION ...]

  --all                print every setting, those with their defaults as well
  --json               print one JSON object
  --help               print this

Every option of "sluice start" is taken, so that its command line can be tried. Values of secrets are not printed.
Nothing is started and nothing is changed. Exit code 0: a start would succeed, or runs on the folder already; 1: there
are mistakes.
`

const args = process.argv.slice(2)
const own = ['--all', '--json', '--help']
const asked = new Set(args.filter((arg) => own.includes(arg)))
if (asked.has('--help')) process.stdout.write(usage)
else {
  const diagnosis = await diagnose(
    args.filter((arg) => !own.includes(arg)),
    process.env,
  )
  const shown = asked.has('--all')
    ? diagnosis
    : { ...diagnosis, settings: diagnosis.settings.filter(({ source }) => source !== 'default') }
  process.stdout.write(asked.has('--json') ? `${JSON.stringify(shown, null, 2)}\n` : showDiagnosis(shown))
  process.exitCode = diagnosis.mistakes.length === 0 ? 0 : 1
}
