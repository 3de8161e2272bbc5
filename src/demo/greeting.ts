// What a start prints: the addresses, and on the first one a way to try them.
import { resolve } from 'node:path'
import { commandName } from '../config/command-name.ts'
import type { Config } from '../config/config.ts'
import { connectors } from '../mcp/connectors.ts'
import { basePath } from '../operations/base-path.ts'
import type { Demo } from './demo.ts'

export function greeting({ restOrigin, authUrl, dataDir }: Config, demo?: Demo): string {
  // A command looks for the data where the service would: where that is not the default folder, it has to be given.
  const jobwright = `${dataDir === resolve('data') ? '' : `DATA_DIR='${dataDir}' `}${commandName}`
  const baseUrl = restOrigin + basePath
  const addresses = `
  Desk            ${authUrl}/desk
  Portal          ${authUrl}/portal
  REST base URL   ${baseUrl}
  API reference   ${restOrigin}/docs
  MCP             ${authUrl}/mcp
`
  if (!demo) return `${addresses}  Keys            ${jobwright} key create --org ORG   (org list shows the ids)\n`
  return `
  Welcome to Jobwright. A demo shop is ready to look at: Harbour Repairs.
  Open ${authUrl}/desk and sign in as its admin; this is shown only now:

  Email           ${demo.admin.email}
  Password        ${demo.admin.password}
  TOTP secret     ${demo.admin.totpSecret}   (type it into an authenticator app)
${addresses}
  List its customers, with a key that may do everything and is shown only this once:

curl -H "X-API-Key: ${demo.key}" ${baseUrl}/organisations/${demo.orgId}/customers

  Connect an agent over MCP, here as Visual Studio Code takes it in .vscode/mcp.json:

${JSON.stringify(connectors(authUrl, demo.key).vscode)}

  Make keys of your own, for example one that can only read:

${jobwright} key create --org ${demo.orgId} --scopes read
`
}
