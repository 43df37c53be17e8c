/** How to read a definition from a program. */
import { getDefinition } from '#contract/definitions.ts';
import { urlOf } from '../../api.ts';

export const languages = ['curl', 'Node', 'Python', 'Go', 'Java'] as const;
type Language = (typeof languages)[number];

type Place = Readonly<Record<'project' | 'flag' | 'environment', string>>;

export function snippetOf(language: Language, words: Place): string {
  return snippets[language](location.origin + urlOf(getDefinition, { words }));
}

const snippets: Readonly<Record<Language, (url: string) => string>> = {
  curl: (url) => `curl -s ${url} \\
  -H "Authorization: Bearer $BURGEE_KEY"`,
  Node: (url) => `const reply = await fetch('${url}', {
  headers: { authorization: \`Bearer \${process.env.BURGEE_KEY}\` },
});
console.log((await reply.json()).defaultRule);`,
  Python: (url) => `import json, os, urllib.request

request = urllib.request.Request(
    '${url}',
    headers={'Authorization': 'Bearer ' + os.environ['BURGEE_KEY']})
print(json.load(urllib.request.urlopen(request))['defaultRule'])`,
  Go: (url) => `request, _ := http.NewRequest("GET", "${url}", nil)
request.Header.Set("Authorization", "Bearer "+os.Getenv("BURGEE_KEY"))
reply, err := http.DefaultClient.Do(request)`,
  Java: (url) => `var request = HttpRequest.newBuilder(URI.create("${url}"))
    .header("Authorization", "Bearer " + System.getenv("BURGEE_KEY"))
    .build();
var reply = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());`,
};
