// What another process of the service is told so that it does not compile again what is compiled: that takes half of a start.
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/** Below the folder that is named there is one for each version of Node. */
export function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir()
  return folder ? { NODE_COMPILE_CACHE: dirname(folder) } : {}
}
