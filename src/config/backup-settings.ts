// The settings of backups that the service makes by itself.
import { setting } from './setting.ts'
import { folder, integer, oneOf } from './setting-values.ts'

export const backupSettings = {
  backupDir: setting({
    variable: 'BACKUP_DIR',
    parse: folder,
    defaultValue: null,
    defaultText: 'unset',
    meaning: 'Where the embedded PostgreSQL is backed up to every day; unset means that nobody does it.',
  }),
  backupHour: setting({
    variable: 'BACKUP_HOUR',
    parse: integer(0, 23),
    defaultValue: 2,
    defaultText: '2',
    meaning: 'The hour of the day (UTC) of that backup; a missed one is made at the next start.',
  }),
  backupWal: setting({
    variable: 'BACKUP_WAL',
    parse: oneOf('on', 'off'),
    defaultValue: 'off',
    defaultText: 'off',
    meaning: 'on: the log is kept beside the backups, every minute, so that data can be restored to any moment.',
  }),
}
