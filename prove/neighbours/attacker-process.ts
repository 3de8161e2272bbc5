// The attacker in a process of its own, so that what it reads does not delay who is measured.
import { constants, setPriority } from 'node:os'
import { type ConnectionOptions, Database } from '../../src/db/database.ts'
import { createAttacker, type RunningAttack } from './attacker.ts'
import { attacks } from './attacks.ts'

export type AttackCommand =
  | { readonly prepare: string; readonly origin: string; readonly connection: ConnectionOptions }
  | { readonly attack: true }
  | { readonly stop: true }

/** Answers `true` once it is ready or under way, and in the end how many requests were answered with which status. */
export type AttackReply = true | readonly (readonly [status: number, count: number])[]

setPriority(constants.priority.PRIORITY_LOW) // elsewhere it is another machine
let start: () => Promise<RunningAttack>
let running: RunningAttack

process.on('message', async (command: AttackCommand) => {
  if ('prepare' in command) {
    const { name, loops, prepare } = attacks.find(({ name }) => name === command.prepare)!
    const database = new Database(command.connection)
    const attacker = await createAttacker(database, command.origin)
    const strike = await prepare(attacker, database)
    start = () => attacker.attack(loops, strike)
    process.title = name
    reply(true)
  } else if ('attack' in command) {
    running = await start()
    reply(true)
  } else reply([...(await running.stop())])
})
process.once('disconnect', () => process.exit(0)) // the parent process is gone, or done

function reply(answer: AttackReply): void {
  process.send?.(answer)
}
