// What a job's timeline says of itself: each kind of event, the facts it carries, and the sentence people read.

export interface TimelineFacts {
  jobCreated: { source: 'api' | 'app' | 'schedule' }
  statusChanged: { from: string; to: string }
  assigneeChanged: { from: string | null; to: string | null }
  stationChanged: { from: string | null; to: string | null }
  scheduled: { from: string; to: string }
  rescheduled: { from: string; to: string }
  unscheduled: Record<never, never>
  deviceLinked: { name: string }
  deviceUnlinked: { name: string | null }
  signatureCaptured: { signedByName: string | null }
  signatureCleared: Record<never, never>
  occurrenceMoved: { from: string; to: string }
  occurrenceResized: { from: string; to: string }
}
export type TimelineEvent = keyof TimelineFacts

/** One event with its facts. */
export type Note = {
  [Event in TimelineEvent]: { readonly event: Event; readonly data: TimelineFacts[Event] }
}[TimelineEvent]

export function sentenceOf({ event, data }: Note): string {
  switch (event) {
    case 'jobCreated':
      return data.source === 'schedule' ? 'The job was created by its recurring schedule' : 'The job was created'
    case 'statusChanged':
      return `The status changed from ${data.from} to ${data.to}`
    case 'assigneeChanged':
      return data.to === null ? `The job is no longer assigned to ${data.from}` : `The job was assigned to ${data.to}`
    case 'stationChanged':
      return data.to === null ? `The job left ${data.from}` : `The job moved to ${data.to}`
    case 'scheduled':
      return 'The job was scheduled'
    case 'rescheduled':
      return 'The job was rescheduled'
    case 'unscheduled':
      return 'The job was taken off the calendar'
    case 'deviceLinked':
      return `${data.name} was linked to the job`
    case 'deviceUnlinked':
      return data.name === null ? 'The device was taken off the job' : `${data.name} was taken off the job`
    case 'signatureCaptured':
      return data.signedByName === null ? 'A signature was captured' : `${data.signedByName} signed`
    case 'signatureCleared':
      return 'The signature was cleared'
    case 'occurrenceMoved':
      return 'The visit was moved to another time'
    case 'occurrenceResized':
      return 'The length of the visit was changed'
  }
}
