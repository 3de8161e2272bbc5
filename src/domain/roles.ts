// What members of an organisation can be, and which jobs each may write.

export const roles = ['admin', 'manager', 'technician'] as const
export type Role = (typeof roles)[number]

/** Technicians write the jobs that are theirs or nobody's; the others write all. */
export const worksOnOwnJobsOnly = (role: Role): boolean => role === 'technician'

/** `onlyJobsOf`: the member who is held to their own jobs; undefined for everybody else. */
export const mayWriteJob = (onlyJobsOf: string | undefined, assignee: string | null): boolean =>
  onlyJobsOf === undefined || assignee === null || assignee === onlyJobsOf
