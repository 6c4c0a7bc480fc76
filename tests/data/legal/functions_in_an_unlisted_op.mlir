// The order of functions may mean something in an op that is not listed: export ordinals, a table.
"my.executable"() ({
  func.func @b() {
    return
  } loc("DEBUG|5|m")
  func.func @a() {
    return
  } loc("DEBUG|1|m")
  "my.end"() : () -> ()
}) : () -> ()
