"""The stub says what the package has."""

import ast
import inspect
import os

import origo


def declared():
    path = os.path.join(os.path.dirname(origo.__file__), "__init__.pyi")
    with open(path) as stub:
        body = ast.parse(stub.read()).body
    found = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = {
                one.name: one for one in node.body
                if isinstance(one, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            found[node.name] = node
    return found


def parameters(node):
    arguments = node.args
    return [one.arg for one in (
        arguments.posonlyargs + arguments.args + arguments.kwonlyargs)]


def names_of(function):
    return [name for name, one in inspect.signature(
        function).parameters.items()
        if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]


def test_every_name_is_declared():
    known = declared()
    for name in origo.__all__:
        assert name == "__version__" or name in known, name


def test_parameters_are_those_of_the_package():
    for name, node in declared().items():
        thing = getattr(origo, name, None)
        if isinstance(node, ast.FunctionDef):
            assert parameters(node) == names_of(thing), name
            continue
        for method, one in node.items():
            value = inspect.getattr_static(thing, method)
            if isinstance(value, property):
                continue
            if isinstance(value, classmethod):
                value = value.__func__
            if inspect.isfunction(value):
                assert parameters(one) == names_of(value), (name, method)


def test_every_method_is_declared():
    known = declared()
    for name in origo.__all__:
        thing = getattr(origo, name)
        if not inspect.isclass(thing) or issubclass(thing, Exception):
            continue
        for method in vars(thing):
            if method.startswith("_") or method in getattr(
                    thing, "__slots__", ()):
                continue
            assert method in known[name], (name, method)
