// One step of an import, well within a second: whoever has the turn takes it, the worker or a command, and what a process
// left undone when it was killed is still there for the next one.
import type { Context } from '../../operations/operation.ts'
import { forgetImport, resetJudgement } from './forget.ts'
import { judgeRecords } from './judge.ts'
import { sortRows } from './sort.ts'
import { lockDueImport, type Phase, type StagedImport } from './staged.ts'
import { undoRecords } from './undo.ts'
import { writeRecords } from './write.ts'

const steps: Readonly<Record<Phase, (ctx: Context, staged: StagedImport) => Promise<void>>> = {
  sorting: (ctx, staged) => (staged.facts.isStale ? resetJudgement(ctx, staged) : sortRows(ctx, staged)),
  judging: judgeRecords,
  writing: writeRecords,
  undoing: undoRecords,
  forgetting: forgetImport,
}

/** The import that a step was taken of; undefined where none is due, or somebody else is at it. */
export async function takeStep(
  ctx: Context,
  importId: string | null = null,
  onBegun: (importId: string) => void = () => {},
): Promise<string | undefined> {
  const staged = await ctx.query(lockDueImport(ctx, importId))
  if (!staged?.phase) return undefined
  onBegun(staged.id)
  await steps[staged.phase](ctx, staged)
  return staged.id
}
