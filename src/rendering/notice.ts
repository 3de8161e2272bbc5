// Mail to those who look after the service: a few sentences, and where to go.
import { html } from '../http/html.ts'
import type { RenderedMail } from './mail.ts'
import { oneLine } from './sanitize-text.ts'

interface Notice {
  readonly subject: string
  readonly paragraphs: readonly string[]
  readonly link: { readonly words: string; readonly url: string }
}

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

export function renderNotice({ subject, paragraphs, link }: Notice): RenderedMail {
  const line = oneLine(subject, 200)
  return {
    subject: line,
    text: `${['Hello,', ...paragraphs, `${link.words}:\n${link.url}`].join('\n\n')}\n`,
    html: html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${line}</title>
</head>
<body style="margin:0;padding:24px 12px;${font};font-size:16px;line-height:1.5;">
<p style="margin:0 0 16px;">Hello,</p>
${paragraphs.map((text) => html`<p style="margin:0 0 16px;">${text}</p>`)}
<p style="margin:0;"><a href="${link.url}">${link.words}</a></p>
</body>
</html>
`.toString(),
  }
}
