// What a call through MCP costs the server over the same operation by REST, in CPU time of its process.
import { readFileSync } from 'node:fs'
import type { ServerProcess } from '../test/programs.ts'
import type { Organisation } from './data.ts'
import { median } from './percentiles.ts'

const rounds = 5
const callsPerRound = 1_000
const concurrency = 8

export interface McpMeasurement {
  /** Milliseconds of CPU for one request, by the way it comes. */
  readonly restMs: number
  readonly newestMs: number
  readonly earlierMs: number
}

type Protocol = keyof McpMeasurement
interface ProtocolRequest {
  readonly path: string
  readonly init: RequestInit
}

/** Undefined where the system does not report the CPU time of another process. */
export async function measureMcpOverhead(
  { pid, port }: ServerProcess,
  organisation: Organisation,
): Promise<McpMeasurement | undefined> {
  if (process.platform !== 'linux') return undefined
  const customerId = organisation.customers[0]!.id
  const requests: Readonly<Record<Protocol, ProtocolRequest>> = {
    restMs: {
      path: `/api/v1/organisations/${organisation.id}/customers/${customerId}`,
      init: { headers: { authorization: `Bearer ${organisation.key}` } },
    },
    newestMs: toolCall(organisation, customerId, '2026-07-28'),
    earlierMs: toolCall(organisation, customerId, '2025-11-25'),
  }
  const samples = new Map<Protocol, number[]>()
  for (let round = 0; round <= rounds; round++) {
    for (const protocol of Object.keys(requests) as Protocol[]) {
      const before = cpuMs(pid)
      await sendAll(port, requests[protocol])
      // The first round warms up.
      if (round > 0) samples.set(protocol, [...(samples.get(protocol) ?? []), (cpuMs(pid) - before) / callsPerRound])
    }
  }
  const medianOf = (protocol: Protocol) => median(samples.get(protocol)!)
  return { restMs: medianOf('restMs'), newestMs: medianOf('newestMs'), earlierMs: medianOf('earlierMs') }
}

function toolCall({ key }: Organisation, customerId: string, revision: string): ProtocolRequest {
  const isNewest = revision === '2026-07-28'
  const clientMeta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return {
    path: '/mcp',
    init: {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': revision,
        ...(isNewest && { 'mcp-method': 'tools/call', 'mcp-name': 'read_operation' }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'read_operation',
          arguments: { operation: 'get_customer', arguments: { customerId } },
          ...(isNewest && { _meta: clientMeta }),
        },
      }),
    },
  }
}

async function sendAll(port: number, { path, init }: ProtocolRequest): Promise<void> {
  const sendInTurn = async () => {
    for (let call = 0; call < callsPerRound / concurrency; call++) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
      const text = await response.text()
      if (response.status !== 200 || text.includes('"isError":true')) throw new Error(`${path}: ${text.slice(0, 300)}`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, sendInTurn))
}

/** User and system time of a process so far; the kernel counts in hundredths of a second. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
