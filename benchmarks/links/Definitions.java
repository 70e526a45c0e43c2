// Where calls lead, by javac: ROOT FILES OUT. A line [path, line, column, inside, [[path, line]...]] for each call.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.regex.*;
import javax.lang.model.element.*;
import javax.tools.*;

public class Definitions {
  static Path root;
  static Trees trees;
  static SourcePositions positions;
  static PrintWriter out;

  public static void main(String[] args) throws Exception {
    root = Path.of(args[0]).toRealPath();
    List<File> files = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(args[1]))) {
      Path file = root.resolve(line);
      if (!line.endsWith("module-info.java") && Files.isRegularFile(file)) files.add(file.toFile());
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
    manager.setLocation(StandardLocation.CLASS_PATH, List.of());
    // Attribution goes on in spite of all that is missing.
    List<String> options = List.of("-proc:none", "-implicit:none", "-XDshould-stop.ifError=FLOW", "-Xmaxerrs", "1");
    JavacTask task = (JavacTask) compiler.getTask(
        Writer.nullWriter(), manager, problem -> {}, options, null, manager.getJavaFileObjectsFromFiles(files));
    trees = Trees.instance(task);
    positions = trees.getSourcePositions();
    List<CompilationUnitTree> units = new ArrayList<>();
    for (CompilationUnitTree unit : task.parse()) units.add(unit);
    task.analyze();
    try (PrintWriter writer = new PrintWriter(Files.newBufferedWriter(Path.of(args[2])))) {
      out = writer;
      for (CompilationUnitTree unit : units) new Calls().scan(unit, null);
    }
  }

  static class Calls extends TreePathScanner<Void, Void> {
    @Override
    public Void visitMethodInvocation(MethodInvocationTree node, Void none) {
      tell(node.getMethodSelect(), new TreePath(getCurrentPath(), node.getMethodSelect()));
      return super.visitMethodInvocation(node, none);
    }

    @Override
    public Void visitNewClass(NewClassTree node, Void none) {
      Tree type = named(node.getIdentifier());
      // The constructor of an anonymous class is written by the compiler.
      tell(type, node.getClassBody() == null ? getCurrentPath() : new TreePath(getCurrentPath(), type));
      return super.visitNewClass(node, none);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree node, Void none) {
      tell(node, getCurrentPath());
      return super.visitMemberReference(node, none);
    }

    @Override
    public Void visitAnnotation(AnnotationTree node, Void none) {
      tell(node.getAnnotationType(), new TreePath(getCurrentPath(), node.getAnnotationType()));
      return super.visitAnnotation(node, none);
    }

    Tree named(Tree type) {
      if (type instanceof ParameterizedTypeTree of) return named(of.getType());
      return type instanceof AnnotatedTypeTree of ? named(of.getUnderlyingType()) : type;
    }

    void tell(Tree name, TreePath path) {
      try {
        CompilationUnitTree unit = path.getCompilationUnit();
        String word = name instanceof IdentifierTree one ? one.getName().toString()
            : name instanceof MemberSelectTree one ? one.getIdentifier().toString()
            : name instanceof MemberReferenceTree one ? one.getName().toString() : "";
        long end = positions.getEndPosition(unit, name);
        Element element = trees.getElement(path);
        if (word.isEmpty() || end < 0 || element == null) return;
        long start = end - word.length();
        String file = root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
        LineMap lines = unit.getLineMap();
        long line = lines.getLineNumber(start);
        Set<String> places = new LinkedHashSet<>();
        boolean inside = places(element, places);
        if (places.isEmpty()) return;
        out.println("[" + quoted(file) + "," + line + "," + (start - lines.getStartPosition(line)) + "," + inside
            + ",[" + String.join(",", places) + "]]");
      } catch (RuntimeException | IOException e) {
        // javac fails on some trees whose types are missing
      }
    }

    /** The places of an element; whether it is a method or a type of the repository. */
    boolean places(Element element, Set<String> places) throws IOException {
      if (element.asType().getKind() == javax.lang.model.type.TypeKind.ERROR) return false;
      boolean made = element instanceof ExecutableElement || element instanceof TypeElement;
      boolean inside = place(element, places);
      if (element.getKind() == ElementKind.CONSTRUCTOR) {
        inside |= place(element.getEnclosingElement(), places);
      } else if (element instanceof TypeElement) {
        for (Element one : element.getEnclosedElements()) {
          if (one.getKind() == ElementKind.CONSTRUCTOR) place(one, places);
        }
      }
      if (!inside && made) places.add("[\"\",0]"); // of a library, or written by the compiler
      return made && inside;
    }

    boolean place(Element element, Set<String> places) throws IOException {
      TreePath path = trees.getPath(element);
      if (path == null) return false;
      CompilationUnitTree unit = path.getCompilationUnit();
      Tree tree = path.getLeaf();
      String name = element.getKind() == ElementKind.CONSTRUCTOR
          ? element.getEnclosingElement().getSimpleName().toString() : element.getSimpleName().toString();
      long from = positions.getStartPosition(unit, tree);
      if (tree instanceof MethodTree method) {
        Tree before = method.getReturnType() != null ? method.getReturnType() : method.getModifiers();
        from = Math.max(from, positions.getEndPosition(unit, before));
      } else if (tree instanceof ClassTree type) {
        from = Math.max(from, positions.getEndPosition(unit, type.getModifiers()));
      }
      String text = unit.getSourceFile().getCharContent(true).toString();
      Matcher found = Pattern.compile("\\b" + Pattern.quote(name) + "\\b").matcher(text);
      long at = found.find((int) from) ? found.start() : from;
      String file = root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
      places.add("[" + quoted(file) + "," + unit.getLineMap().getLineNumber(at) + "]");
      return true;
    }

    String quoted(String text) {
      return '"' + text.replace("\\", "/").replace("\"", "\\\"") + '"';
    }
  }
}
