/** The look of an exported page: readable width, both colour schemes, print. Never names another resource. */
export const PAGE_STYLE = `
:root { --paper: #fdfdfc; --ink: #1f2328; --soft: #59636e; --line: #d9dde2; --user: #eef4fb; --code: #f3f4f6; --bad: #b42318; --link: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15181c; --ink: #e3e6ea; --soft: #9aa4af; --line: #333a42; --user: #1b2633; --code: #1e2329; --bad: #ff8a80; --link: #7db8f7; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 50rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Apple SD Gothic Neo", "Malgun Gothic", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.3; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: .9rem; font-weight: 600; color: var(--soft); margin: 2.5rem 0 .75rem; padding-top: .75rem; border-top: 1px solid var(--line); }
h2 a { color: inherit; text-decoration: none; }
h2 a:hover, h2 a:focus-visible { color: var(--link); text-decoration: underline; }
h2 time { font-weight: 400; margin-left: .5rem; }
h3 { font-size: .8rem; color: var(--soft); margin: 0 0 .25rem; }
h3 small { font-weight: 400; }
dl { margin: 0; font-size: .875rem; color: var(--soft); }
dl div { display: flex; gap: .75rem; }
dt { flex: 0 0 7rem; }
dd { margin: 0; overflow-wrap: anywhere; color: var(--ink); }
article { margin: 1rem 0; overflow-wrap: anywhere; }
article.user { background: var(--user); border-radius: .5rem; padding: .75rem 1rem; }
article.error { border-left: 3px solid var(--bad); padding-left: 1rem; }
p { margin: .5rem 0; white-space: pre-wrap; }
pre, code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: .85em; }
code { background: var(--code); border-radius: .25rem; padding: .1em .3em; }
pre { background: var(--code); border-radius: .375rem; padding: .75rem 1rem; margin: .5rem 0; overflow-x: auto; line-height: 1.45; white-space: pre; }
pre code { background: none; padding: 0; font-size: 1em; }
details { margin: .375rem 0; font-size: .9rem; color: var(--soft); }
details pre { color: var(--ink); white-space: pre-wrap; overflow-wrap: anywhere; max-height: 32rem; overflow-y: auto; }
summary { cursor: pointer; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
summary:focus-visible, h2 a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.status { color: var(--bad); font-weight: 400; }
.empty { font-style: italic; }
img { max-width: 100%; height: auto; border-radius: .375rem; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: .75rem; font-size: .85rem; color: var(--soft); }
@media print { body { max-width: none; } details pre { max-height: none; overflow: visible; } }
`;
