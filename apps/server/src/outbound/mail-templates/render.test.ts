import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { compile, compiledPath, mjmlSources } from './compile.ts'
import { type Facts, render, type TemplateName } from './render.ts'

const url = 'https://longshore.test/d/01939f3e-7b1c-7d3a-9e55-3d6f0a1b2c3d?secret=Yk3vQz8mT1rWc6sLp0aNfA'

/** Every fact that somebody can type is this text. */
function factsOf(text: string): { [Name in TemplateName]: Facts[Name] } {
  const pkg = {
    packageName: text,
    count: '12 files',
    size: '1.2 TB',
    files: [
      { name: text, size: '1 kB' },
      { name: text, size: '2 kB' },
    ],
    moreFiles: '10',
  }
  const download = { ...pkg, senderEmail: text, message: [text, text], url, expiry: 'tomorrow', hasPassword: true }
  return {
    'recipient-link': { ...download, sender: text },
    'upload-notice': {
      ...download,
      portalName: text,
      teamName: text,
      answers: [{ label: text, value: [text, text] }],
    },
    'upload-receipt': { ...pkg, portalName: text, teamName: text },
    'file-incident': { packageName: text, infected: pkg.files, damaged: pkg.files },
    invitation: { inviter: text, teamName: text, url, expiry: 'tomorrow' },
    'email-confirmation': { url, hours: 24 },
  }
}

const names = Object.keys(factsOf('')) as TemplateName[]

const rendered = (name: TemplateName, text: string, brand = { name: text, color: '#123456', logoUrl: '' }) =>
  render(name, { to: 'rita@example.test', subject: text, brand, facts: factsOf(text)[name] })

test('every template is there as MJML, compiled and as text, and nothing else is', () => {
  const files = (pattern: string, ending: string) =>
    globSync(pattern, { cwd: import.meta.dirname })
      .map((file) => basename(file, ending))
      .toSorted()
  assert.deepEqual(mjmlSources(), names.toSorted())
  assert.deepEqual(files('*.txt', '.txt'), names.toSorted())
  assert.deepEqual(files('compiled/*.html', '.html'), names.toSorted())
})

for (const name of names) {
  test(`${name}: the committed HTML is what its MJML compiles to`, async () => {
    assert.equal(
      readFileSync(compiledPath(name), 'utf8'),
      await compile(name),
      'Run compile.ts and commit the outcome.',
    )
  })
}

test('no template has a value that is not escaped, a script, or anything that is fetched but the logo', () => {
  const sources = globSync(['*.{mjml,txt}', 'layout/*.mjml', 'compiled/*.html'], { cwd: import.meta.dirname })
  assert.ok(sources.length > 15)
  for (const file of sources) {
    const source = readFileSync(join(import.meta.dirname, file), 'utf8')
    assert.doesNotMatch(source, /\{\{\{|\{\{\s*&/, file)
    assert.doesNotMatch(source, /<script|@import|<link|url\(/i, file)
    const fetched = [...source.matchAll(/\ssrc="([^"]*)"/g)].map(([, address]) => address)
    assert.deepEqual(
      fetched.filter((address) => address !== '{{brand.logoUrl}}'),
      [],
      file,
    )
  }
})

/** The tags of a page, without what stands in their attributes: text that breaks out of its place changes them. */
const skeleton = (html: string) => (html.match(/<[^>]*>/g) ?? []).map((tag) => tag.replaceAll(/="[^"]*"/g, '=""'))

const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202a-\u202e]/

const hostile: Readonly<Record<string, string>> = {
  'an image with a handler': '<img src=x onerror=alert(1)>',
  'a way out of an attribute': '"><svg/onload=alert(1)>',
  'a way out of another attribute': `' onmouseover='alert(1)`,
  'a way out of style and comment': '</style></title>--><script>alert(1)</script><!--',
  'an address that is code': 'javascript:alert(1)',
  'a template': '{{7*7}} {{{constructor}}} {{#each this}}x{{/each}}',
  'another template': '${7*7} <%= 7*7 %> #{7*7}',
  'a way out of CDATA': ']]><![CDATA[',
  'line breaks': 'a\r\nBcc: evil@example.test\r\n\r\n<b>b</b>',
  'control characters': 'a\u0000b\u001b[31mc\u009bd\u2028e',
  'a name turned around': 'annexe\u202egpj.exe',
  'right-to-left text': 'שלום <b>وثائق</b>',
  'half a character': 'a\ud83db<i>',
  emoji: '👩‍👩‍👧‍👦 🎬',
  '10 kB': '<b>'.repeat(3_400),
}

for (const [what, text] of Object.entries(hostile)) {
  test(`B9.158: ${what} stays text in every mail`, () => {
    for (const name of names) {
      const mail = rendered(name, text)
      assert.deepEqual(skeleton(mail.html), skeleton(rendered(name, 'harmless').html), name)
      assert.doesNotMatch(mail.html + mail.text, controls, name)
      assert.doesNotMatch(mail.text, /^Bcc:/m, name)
      assert.doesNotMatch(mail.html + mail.text, /\b49\b/, name)
      assert.ok(mail.html.isWellFormed() && mail.text.isWellFormed(), name)
      assert.ok(mail.html.length < 300_000, name)
    }
  })
}

test('text is text: what HTML has to escape arrives in the text part as it was typed', () => {
  const { text, html } = rendered('recipient-link', `Müller & "Söhne" <team> = 'x'`)
  assert.match(text, /Müller & "Söhne" <team> = 'x'/)
  assert.match(html, /Müller &amp; &quot;Söhne&quot; &lt;team&gt; &#x3D; &#x27;x&#x27;/)
})

test('a brand is used if it is harmless, and gives way to the default if it is not', () => {
  const page = (brand: { name: string; color: string; logoUrl: string }) =>
    rendered('upload-notice', 'Rushes', brand).html
  const good = page({ name: 'Dailies', color: '#F2B705', logoUrl: 'https://cdn.example.test/logo.png?a=1&b=2' })
  assert.match(good, /background:#F2B705;color:#14161a/)
  assert.match(good, /src="https:\/\/cdn\.example\.test\/logo\.png\?a&#x3D;1&amp;b&#x3D;2"/)
  for (const color of ['red;background:url(//e)', '#fff', 'expression(alert(1))', '#12345g', '']) {
    assert.match(page({ name: 'Dailies', color, logoUrl: '' }), /background:#1f5eff;color:#ffffff/, color)
  }
  for (const logoUrl of [
    'javascript:alert(1)',
    'data:image/svg+xml,<svg/>',
    'file:///etc/passwd',
    '//e',
    'x" onerror="',
  ]) {
    assert.doesNotMatch(page({ name: 'Dailies', color: '', logoUrl }), /<img/, logoUrl)
  }
})

test('a long message is kept, a long name is cut between two characters', () => {
  const facts = factsOf('x')['recipient-link']
  const long = 'word '.repeat(1_900).trim()
  const { text } = render('recipient-link', {
    to: 'rita@example.test',
    subject: 's',
    facts: { ...facts, message: [long], packageName: '👩‍👩‍👧‍👦'.repeat(300) },
  })
  assert.ok(text.includes(long))
  assert.match(text.split('\n')[0] ?? '', /: (?:👩‍👩‍👧‍👦)+…$/u)
})
