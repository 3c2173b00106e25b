/** Makes certificates with openssl: authorities, and certificates that they sign. */

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from './process.ts'

/** The program, or null when this machine has none. */
export const openssl = findProgram('openssl')

/** A certificate and its key, by the paths of their files. */
export interface CertificateFiles {
  readonly certificate: string
  readonly key: string
}

/** An authority that signs. */
export interface Authority extends CertificateFiles {
  /** Signs a certificate; `names` are those of a subject's alternative name, such as `DNS:localhost`. */
  sign(name: string, names?: string): CertificateFiles
}

/** Makes an authority in a folder; `name` is that of its files. */
export function makeAuthority(folder: string, name: string): Authority {
  const own = filesOf(folder, name)
  run('req', '-x509', ...newKey, '-keyout', own.key, '-out', own.certificate, '-days', '2', '-subj', `/CN=${name}`)
  return {
    ...own,
    sign(subject, names = 'DNS:localhost,IP:127.0.0.1') {
      const files = filesOf(folder, subject)
      const request = join(folder, `${subject}.csr`)
      const extensions = join(folder, `${subject}.ext`)
      writeFileSync(extensions, `subjectAltName=${names}\n`)
      run('req', ...newKey, '-keyout', files.key, '-out', request, '-subj', `/CN=${subject}`)
      const by = ['-CA', own.certificate, '-CAkey', own.key, '-CAcreateserial']
      run('x509', '-req', '-in', request, ...by, '-days', '2', '-extfile', extensions, '-out', files.certificate)
      return files
    },
  }
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

function filesOf(folder: string, name: string): CertificateFiles {
  return { certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) }
}

function run(...args: readonly string[]): void {
  execFileSync(openssl ?? 'openssl', [...args], { stdio: 'pipe' })
}
