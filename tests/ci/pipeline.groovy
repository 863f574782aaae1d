// Runs a Jenkinsfile with Jenkins' own version of Groovy: pipeline.groovy JENKINSFILE BRANCH
//
// The words of a declarative pipeline are those below, as far as the example of docs/ci.md needs them; any other is an
// error, as it is for Jenkins. `sh` runs its script. Ends with what the build's result would be: 0 success, 1 failure,
// 3 unstable.

class Failed extends RuntimeException {
  Failed(String why) { super(why) }
}

// What closures may say, by name; each word calls back with its arguments.
class Words {
  Map<String, Closure> known
  String where

  def invokeMethod(String name, Object arguments) {
    if (!known.containsKey(name)) throw new Failed("'${name}' is no word of ${where}")
    return known[name](*(arguments as List))
  }
}

def within(String where, Closure body, Map<String, Closure> known) {
  body.delegate = new Words(known: known, where: where)
  body.resolveStrategy = Closure.DELEGATE_ONLY
  return body()
}

class Build {
  String branch
  Map<String, String> environment = [:]
  boolean unstable = false

  // A script of `sh`, as a shell of Jenkins runs it.
  int shell(String script) {
    def process = new ProcessBuilder('sh', '-xe', '-c', script).inheritIO()
    process.environment().putAll(environment)
    return process.start().waitFor()
  }
}

def build = new Build(branch: args[1])
def steps = [
  sh: { how ->
    def options = how instanceof Map ? how : [script: how]
    def code = build.shell(options.script.toString())
    if (options.returnStatus) return code
    if (code != 0) throw new Failed("script returned exit code ${code}")
  },
  error: { why -> throw new Failed(why.toString()) },
  unstable: { why -> build.unstable = true; println "unstable: ${why}" },
  junit: { Map how -> assert how.testResults },
  archiveArtifacts: { Map how -> assert how.artifacts },
]
steps.script = { Closure body -> within('script', body, steps) }

def whenWords = [:]
whenWords.branch = { name -> name == build.branch }
whenWords.not = { Closure body -> !within('not', body, whenWords) }

def stage = { String name, Closure body ->
  def wanted = true
  def todo = null
  within("stage '${name}'", body, [
    when: { Closure condition -> wanted = within('when', condition, whenWords) },
    steps: { Closure what -> todo = what },
  ])
  if (todo == null) throw new Failed("stage '${name}' has no steps")
  if (wanted) within('steps', todo, steps)
}

def pipeline = { Closure body ->
  def after = []
  def failure = null
  within('pipeline', body, [
    agent: { Closure where -> within('agent', where, [label: { assert it }]) },
    environment: { Closure values ->
      values.delegate = build.environment
      values.resolveStrategy = Closure.DELEGATE_ONLY
      values()
    },
    stages: { Closure stages ->
      try {
        within('stages', stages, [stage: stage])
      } catch (Failed error) {
        failure = error
      }
    },
    post: { Closure conditions -> within('post', conditions, [always: { after << it }]) },
  ])
  after.each { within('always', it, steps) }
  if (failure != null) throw failure
}

def script = new GroovyShell(new Binding([pipeline: pipeline])).parse(new File(args[0]))
try {
  script.run()
} catch (Failed error) {
  System.err.println("failed: ${error.message}")
  System.exit(1)
}
System.exit(build.unstable ? 3 : 0)
