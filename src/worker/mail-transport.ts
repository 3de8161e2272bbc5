// Where mail goes: to a mail server or, where none is set, into files that any mail program opens.
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport, type SendMailOptions } from 'nodemailer'
import type { Config } from '../config/config.ts'

export interface MailTransport {
  /** Resolves when somebody else has taken the mail over; rejects with a sentence when not. */
  send(mail: SendMailOptions & { readonly messageId: string }): Promise<void>
  close(): void
}

/** A mail server that does not answer delays the mail, but not for ever. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 }

export function createMailTransport(config: Config): MailTransport {
  return config.smtpUrl === null ? fileTransport(join(config.dataDir, 'outbox')) : smtpTransport(config.smtpUrl)
}

function smtpTransport(url: string): MailTransport {
  const smtp = createTransport({ url, ...timeouts })
  return {
    async send(mail) {
      await smtp.sendMail(mail)
    },
    close: () => smtp.close(),
  }
}

/** Named by the mail's own id: written again after a crash, it is still one file. */
function fileTransport(folder: string): MailTransport {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  return {
    async send(mail) {
      const { message } = await composer.sendMail(mail)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = join(folder, `${mail.messageId.slice(1, mail.messageId.indexOf('@'))}.eml`)
      await writeFile(`${file}.part`, message as Buffer, { mode: 0o600, flush: true })
      await rename(`${file}.part`, file)
    },
    close() {},
  }
}
