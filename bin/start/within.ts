/** Runs an action in another current folder. */

/**
 * Runs an action in a folder. The path of a UNIX socket has 104 to 108 bytes at most, which the path of a folder
 * can exceed; the name of a file in the current one does not. Node binds and connects before these calls return.
 */
export function within<T>(folder: string, action: () => T): T {
  const before = process.cwd()
  process.chdir(folder)
  try {
    return action()
  } finally {
    process.chdir(before)
  }
}
